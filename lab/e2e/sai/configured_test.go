package sai

import (
	"fmt"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// configured is a link whose configuration has QoS maps, and a virtual channel with a profile of the credits that the
// partner grants.
var configured = bed.Settings{
	Top: "cbfc_profiles: {some: {reserved: 20, threshold_mode: static, shared_static_th: 30}}\n" +
		"qos: {dscp_to_tc_map: {mine: {8: 1, 46: 5}}, tc_to_vc_map: {mine: {1: 1}}}",
	Link: "vcs: 2, qos: {tc_to_vc_map: mine}, " +
		"cbfc: {mode: static, total_credits: 300, vcs: [{index: 1, lossless: true, profile: some}]}",
	Edge: "qos: {trust: dscp, dscp_to_tc_map: mine}",
}

// TestObjectsOfTheConfiguration: the QoS maps, the virtual channel, its credit profile and the pool of the
// configuration are objects, which cannot be removed, and whose attributes act when they are set.
func TestObjectsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := apart(top, configured)
	p.Advance()
	lossless(p.A, 1)
	c := attach(t, compile(t, "testdata/driver.c"), p.A)
	ports := c.must("get 0x%x 2=objlist", uint64(sai.SwitchOID))
	link, edge := ports[0], ports[1]
	vc := c.get(link, 0xdb, sai.ObjectList)
	profile := c.get(vc, 3, sai.ObjectID)
	pool := c.get(profile, 0, sai.ObjectID)
	dscp := c.get(edge, 0x4a, sai.ObjectID)
	if got := c.get(link, 0xdc, sai.ObjectList); got != pool {
		t.Errorf("the pools of the link are %s, that of the profile is %s", got, pool)
	}
	for _, a := range []struct {
		oid  string
		id   uint32
		kind sai.Kind
		want string
	}{
		{dscp, 1, sai.MapList, "8>1 46>5"}, {c.get(link, 0xd9, sai.ObjectID), 1, sai.MapList, "1>1"},
		{vc, 1, sai.U8, "1"}, {vc, 5, sai.Bool, "1"}, {profile, 1, sai.U64, "20"}, {profile, 2, sai.Enum, "1"},
		{profile, 4, sai.U64, "30"}, {pool, 1, sai.U64, "300"}, {pool, 2, sai.U64, "280"},
		{link, 0xd3, sai.U32, "300"}, {link, 0xcd, sai.U16, "300"},
	} {
		if got := c.get(a.oid, a.id, a.kind); got != a.want {
			t.Errorf("attribute 0x%x of %s is %s, want %s", a.id, a.oid, got, a.want)
		}
	}
	for _, oid := range []string{dscp, vc, profile, pool} {
		c.refused(-2, "remove %s", oid)
	}
	c.refused(-6, "create %d 0=oid:%s 1=u64:100", sai.TypeCreditPool, link)
	limited := func(want int) {
		t.Helper()
		bed.Eventually(t, fmt.Sprintf("a limit of %d credits", want), func() string {
			if v := p.A.VC(1); v.Phase != "lossless" || v.SenderCreditLimit != want {
				return fmt.Sprintf("%+v", v)
			}
			return ""
		})
	}
	limited(50)
	c.must("set %s 4=u64:15", profile)
	limited(35)
	c.must("set %s 1=u64:25", pool)
	limited(25)
	c.must("set %s 1=qosmap:2/46>3", dscp)
	text := p.A.ToolText("sai", "objects")
	if strings.Count(text, "made by configuration") != strings.Count(text, "made by") {
		t.Errorf("uelink sai objects:\n%s", text)
	}
	p.A.Reload(configured.Text(p.A.Socket))
	limited(25)
	p.A.Reload(strings.Replace(configured.Text(p.A.Socket), "shared_static_th: 30", "shared_static_th: 4", 1))
	limited(24)
	if got := c.get(dscp, 1, sai.MapList); got != "46>3" {
		t.Errorf("the map is %s after two reloads that do not name it", got)
	}
}
