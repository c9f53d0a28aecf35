package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/sai"
)

// frameTests has the test with frames of each attribute that moves frames: one of this package, or of lab/e2e/sai.
var frameTests = map[sai.ObjectType]map[string]string{
	sai.TypePort: {
		"ADMIN_STATE": "e2e TestInterfacesAreManaged", "MTU": "e2e TestInterfacesAreManaged",
		"QOS_DOT1P_TO_TC_MAP": "TestMapsAct", "QOS_DSCP_TO_TC_MAP": "TestMapsAct", "QOS_TC_TO_VC_MAP": "TestMapsAct",
		"QOS_DOT1P_DEI_TO_TC_MAP": "TestPriorityAndDEIMapActs", "QOS_QUEUE_TO_VC_MAP": "TestQueueToVCActs",
		"QOS_TC_TO_QUEUE_MAP": "TestQueuesOfAnEdgeAct", "PRIORITY_FLOW_CONTROL": "TestPriorityFlowControlActs",
		"LLR_MODE_LOCAL": "e2e TestSAIWorkflow", "LLR_MODE_REMOTE": "e2e TestSAIWorkflow",
		"LLR_PROFILE": "TestReplayTimerActs", "CBFC_RECEIVER_CREDIT_SIZE": "TestCreditSizesAct",
		"CBFC_RECEIVER_PACKET_OVERHEAD": "TestCreditSizesAct", "CBFC_SENDER_CREDIT_SIZE": "TestCreditSizesAct",
		"CBFC_SENDER_PACKET_OVERHEAD": "TestCreditSizesAct", "CBFC_SENDER_CREDIT_LIMIT": "TestSenderCreditLimitActs",
		"CBFC_CC_MESSAGE_TIMER": "TestCCMessageTimerActs", "CBFC_CF_MIN_SPACING": "TestCFSpacingsAct",
		"CBFC_CF_MAX_SPACING": "TestCFSpacingsAct",
	},
	sai.TypeLLRProfile: {
		"OUTSTANDING_FRAMES_MAX": "TestOutstandingLimitsAct", "OUTSTANDING_BYTES_MAX": "TestOutstandingLimitsAct",
		"REPLAY_TIMER_MAX": "TestReplayTimerActs", "REPLAY_COUNT_MAX": "TestReplayCountActs",
		"PCS_LOST_TIMEOUT": "TestPCSLostActs", "DATA_AGE_TIMEOUT": "TestDataAgeActs",
		"INIT_LLR_FRAME_ACTION": "e2e TestFrameActionsAct", "FLUSH_LLR_FRAME_ACTION": "e2e TestFrameActionsAct",
		"RE_INIT_ON_FLUSH": "TestReInitOnFlushActs", "CTLOS_TARGET_SPACING": "TestCtlOSSpacingActs",
	},
	sai.TypeVC: {
		"PORT": "TestChannelEnablesAct", "INDEX": "TestChannelEnablesAct", "CBFC_RECEIVER_ENABLE": "TestChannelEnablesAct",
		"CBFC_SENDER_ENABLE": "TestChannelEnablesAct", "CBFC_SENDER_CREDIT_PROFILE": "TestPoolAndProfilesAct",
	},
	sai.TypeCreditPool: {"PORT": "TestPoolAndProfilesAct", "SIZE": "TestPoolAndProfilesAct"},
	sai.TypeCreditProfile: {
		"POOL_ID": "TestPoolAndProfilesAct", "RESERVED_CREDIT_SIZE": "TestPoolAndProfilesAct",
		"THRESHOLD_MODE": "TestPoolAndProfilesAct", "SHARED_STATIC_TH": "TestPoolAndProfilesAct",
	},
	sai.TypeQoSMap: {"TYPE": "TestMapsAct", "MAP_TO_VALUE_LIST": "TestMapsAct"},
	sai.TypeQueue:  {"PKT_DEQUEUE_ENABLE": "TestQueuesAct", "PKT_ENQUEUE_ENABLE": "TestQueuesAct"},
}

// senders are the functions that send frames, in the tests of this package and in those of lab/e2e/sai.
var senders = []string{"Begin", "Carry", "Send", "Untouched"}

// TestMovingAttributesHaveFrames: each attribute that moves frames has a test, which is there and sends frames; and no
// other attribute has one.
func TestMovingAttributesHaveFrames(t *testing.T) {
	here, there := calls(t, "*_test.go"), calls(t, "../../lab/e2e/sai/*_test.go")
	for _, of := range Types() {
		left := map[string]bool{}
		for name := range frameTests[of] {
			left[name] = true
		}
		for _, a := range tables()[of] {
			if a.effect() != "moves frames" {
				continue
			}
			delete(left, a.Name)
			name, e2e := strings.CutPrefix(frameTests[of][a.Name], "e2e ")
			functions := here
			if e2e {
				functions = there
			}
			if functions[name] == nil || !functions.sends(name, map[string]bool{}) {
				t.Errorf("%s: its test %q is missing, or sends no frame", a.FullName(of), name)
			}
		}
		for name := range left {
			t.Errorf("%s %s does not move frames, and has a test", of, name)
		}
	}
	if here.sends("TestGenerated", map[string]bool{}) {
		t.Error("a test without frames is taken for one that sends frames")
	}
}

// callGraph is the functions of test files by their names, each with the names of what it calls.
type callGraph map[string][]string

// calls reads the test files that match a pattern.
func calls(t *testing.T, pattern string) callGraph {
	t.Helper()
	g := callGraph{}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				g[f.Name.Name] = append(g[f.Name.Name], called(f)...)
			}
		}
	}
	return g
}

// called returns the names of the functions and methods that a function calls.
func called(f *ast.FuncDecl) (names []string) {
	names = []string{""} // a function without calls is there, too
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			switch fun := c.Fun.(type) {
			case *ast.Ident:
				names = append(names, fun.Name)
			case *ast.SelectorExpr:
				names = append(names, fun.Sel.Name)
			}
		}
		return true
	})
	return names
}

// sends reports whether a function sends frames, itself or by a function of its package. seen has those looked at.
func (g callGraph) sends(name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	for _, next := range g[name] {
		for _, sender := range senders {
			if next == sender {
				return true
			}
		}
		if g.sends(next, seen) {
			return true
		}
	}
	return false
}
