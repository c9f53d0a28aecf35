package sonic

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/sonic"
)

// TestRowsOfOthers: beside rows of another process, uelink sonic starts with --own alone; and what a killed one has
// left is its own.
func TestRowsOfOthers(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	s.set(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "false", "MIRROR", "true")
	s.set(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP", "Ethernet4", "oid:0x1000000000009")
	s.set(sonic.StateDB, "PORT_TABLE|Ethernet0", "speed", "40000", "state", "ok")
	s.load()
	before := s.rows()
	refused := join(t, p.A, configuration(t, s, ""))
	if code := refused.Wait(); code != 1 {
		t.Errorf("exit %d", code)
	}
	refused.says("STATE_DB SWITCH_CAPABILITY|switch LLR_CAPABLE", "--own")
	if s.rows() != before || s.row(sonic.StateDB, "SWITCH_CAPABILITY|switch")["LLR_CAPABLE"] != "false" {
		t.Errorf("a refused start changed rows:\n%s", s.rows())
	}
	j := join(t, p.A, configuration(t, s, ""), "--own")
	s.hasField(sonic.StateDB, "SWITCH_CAPABILITY|switch", "LLR_CAPABLE", "true")
	s.hasField(sonic.StateDB, "LLR_PORT_STATE|Ethernet0", "tx_status", "ADVANCE")
	s.hasField(sonic.StateDB, "PORT_TABLE|Ethernet0", "speed", "40000")
	j.Signal(syscall.SIGKILL)
	j.Wait()
	bed.Must(t, s.db[sonic.ApplDB].HDel(t.Context(), "LLR_PORT_TABLE:Ethernet0", "llr_mode").Err())
	j = join(t, p.A, configuration(t, s, ""))
	s.hasField(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", "llr_mode", "static")
	if text := p.A.ToolText("sai", "objects"); strings.Count(text, "made by sai") != 1 {
		t.Errorf("uelink sai objects:\n%s", text)
	}
	if c := p.A.LLRCounters(); c.TxReinit != 0 {
		t.Errorf("LLR began again: %+v", c)
	}
	if code := j.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	want := strings.ReplaceAll(before, "STATE_DB UELINK_SONIC\n", "")
	if got := s.rows(); got != want {
		t.Errorf("at the end there are\n%swant\n%s", got, want)
	}
	for key, want := range map[string]map[string]string{
		"SWITCH_CAPABILITY|switch": pairs("MIRROR", "true"), "PORT_TABLE|Ethernet0": pairs("speed", "40000", "state", "ok", "admin_status", "up"),
	} {
		if got := s.row(sonic.StateDB, key); !maps.Equal(got, want) {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

// certificate writes a self-signed certificate and its key for 127.0.0.1, and returns their paths.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	bed.Must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	bed.Must(t, err)
	octets, err := x509.MarshalECPrivateKey(private)
	bed.Must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeFile(t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	writeFile(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: octets})))
	return cert, key
}

// TestTLSAndACL: uelink sonic works by TLS with a user who may only what docs/SONIC.md says, and not CONFIG.
func TestTLSAndACL(t *testing.T) {
	t.Parallel()
	p, s := linked(t)
	cert, key := certificate(t)
	secured(t, p.A.NS, s, cert, key)
	password := filepath.Join(t.TempDir(), "password")
	writeFile(t, password, "secret\n")
	j := join(t, p.A, fmt.Sprintf("redis: {address: \"127.0.0.1:6380\", ca: %s, user: uelink, password_file: %s}\n"+
		"ports: [{name: Ethernet0, port: link0}]\n", cert, password))
	j.says("rows are read each second", "CONFIG|GET")
	s.load()
	p.Advance()
	s.agrees(t, p.A)
	s.hasField(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", "llr_profile", "fast")
	if code := j.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	s.becomes(sonic.ApplDB, "LLR_PORT_TABLE:Ethernet0", pairs())
}

// secured starts the server again, with TLS and the user of docs/SONIC.md besides its socket.
func secured(t *testing.T, ns *netns.NS, s *server, cert, key string) {
	t.Helper()
	s.Terminate()
	program := bed.InstalledProgram(t, "redis-server", "redis-server")
	bed.Must(t, ns.SetLink("lo", true))
	s.Process = bed.Start(t, ns, "redis-server", exec.Command(program, "--port", "0", "--unixsocket", s.Socket, "--dir",
		s.dir, "--save", "", "--tls-port", "6380", "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no",
		"--notify-keyspace-events", ""))
	bed.Eventually(t, "redis-server answers", func() string {
		user := append([]any{"ACL", "SETUSER", "uelink", "on", ">secret"}, rights(t)...)
		err := s.db[sonic.StateDB].Do(t.Context(), user...).Err()
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// rights returns what docs/SONIC.md allows the user.
func rights(t *testing.T) (words []any) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/SONIC.md")
	bed.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "ACL SETUSER uelink on >PASSWORD "); ok {
			for word := range strings.FieldsSeq(rest) {
				words = append(words, word)
			}
		}
	}
	if len(words) == 0 {
		t.Fatal("docs/SONIC.md has no ACL SETUSER")
	}
	return words
}
