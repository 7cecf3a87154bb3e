package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads"
)

// e2e is where the tests on real brokers are, and experiments of their own.
var e2e = filepath.Join("..", "..", "cmd", "e2e")

// shown is where the known failure of a pipeline is seen on real brokers.
type shown struct {
	// experiment is the catalogue's, or a file of cmd/e2e/testdata; test is the test of cmd/e2e that runs it.
	experiment, test string
	// breaks is the guarantee that it must break there; "": it never breaks, and must hold its claim when others do not.
	breaks harness.Guarantee
	// by is the pipeline that shows it instead, if it can't itself.
	by string
}

// failures has a line for every pipeline of the registry.
var failures = map[string]shown{
	"aborting":                  {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhoeverNeverAsks", breaks: harness.ExactlyOnce, by: "aborting-read-uncommitted"},
	"aborting-read-uncommitted": {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhoeverNeverAsks", breaks: harness.ExactlyOnce},
	"acks-all":                  {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.AtLeastOnce},
	"acks-all-pipelined":        {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.AtLeastOnce},
	"acks0":                     {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhoeverNeverAsks", breaks: harness.AtLeastOnce},
	"acks1":                     {experiment: "leader-partition", test: "TestLeaderPartitionCostsAcks1ItsAcknowledgedRecords", breaks: harness.AtLeastOnce},
	"auto-commit":               {experiment: "worker-kill", test: "TestWorkerKillTellsThePipelinesApart", breaks: harness.AtLeastOnce},
	"auto-commit-greedy":        {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtLeastOnce},
	"auto-commit-sync":          {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtMostOnce},
	"commit-after":              {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest", breaks: harness.AtMostOnce},
	"commit-first":              {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest", breaks: harness.AtLeastOnce},
	"commit-out-of-order":       {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtLeastOnce},
	"commit-then-notify":        {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.AtLeastOnce},
	"fan-out":                   {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest"},
	"idempotent":                {experiment: "worker-kill", test: "TestWorkerKillTellsThePipelinesApart", breaks: harness.AtMostOnce},
	"idempotent-producer":       {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.ExactlyOnce},
	"idempotent-restart":        {experiment: "producer-restart", test: "TestProducersThatStartAgain", breaks: harness.ExactlyOnce},
	"notify-idempotency-key":    {experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice", breaks: harness.ExactlyOnce},
	"notify-in-transaction":     {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.ExactlyOnce},
	"notify-then-commit":        {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.AtMostOnce},
	"share-group":               {experiment: "share-group", test: "TestAShareGroupGivesUpWhatKillsItsWorkers", breaks: harness.AtLeastOnce},
	"slow-outside":              {experiment: "slow-transaction", test: "TestASlowCallStallsReadersOnlyInsideATransaction"},
	"slow-transaction":          {experiment: "slow-transaction", test: "TestASlowCallStallsReadersOnlyInsideATransaction"},
	"transactional":             {experiment: "lingering-txn", test: "TestLingeringTransactionIsNamed"},
	"transactional-halves":      {experiment: "late-request-tv1", test: "TestALateEndTxnTearsUnderTransactionVersion1", breaks: harness.ExactlyOnce},
	"transactional-halves-old-client": {
		experiment: "late-request-tv1", test: "TestALateEndTxnTearsUnderTransactionVersion1", breaks: harness.ExactlyOnce,
	},
	"transactional-manual":      {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly"},
	"transactional-no-metadata": {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly", breaks: harness.ExactlyOnce},
	"transactional-producer":    {experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice"},
	"transactional-producer-random-id": {
		experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice", breaks: harness.ExactlyOnce,
	},
	"transactional-random-id": {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly"},
	"two-producers-one-id":    {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhoeverNeverAsks"},
}

// openShown opens the catalogue's experiment, or one of cmd/e2e/testdata.
func openShown(t *testing.T, name string) harness.Experiment {
	t.Helper()
	open := Find
	if strings.HasSuffix(name, ".yaml") {
		name, open = filepath.Join(e2e, "testdata", name), LoadFile
	}
	exp, err := open(name)
	require.NoError(t, err)
	return exp
}

// TestEveryPipelinesFailureIsShown: a new pipeline has a line in failures, whose experiment and test say what it says.
func TestEveryPipelinesFailureIsShown(t *testing.T) {
	tests := e2eTests(t)
	known := map[string]bool{}
	for _, p := range workloads.Infos() {
		known[p.Name] = true
		s, ok := failures[p.Name]
		if !assert.True(t, ok, "%s has no line: where is its known failure seen on real brokers?", p.Name) {
			continue
		}
		exp, who := openShown(t, s.experiment), p.Name
		if s.by != "" {
			who = s.by
		}
		assert.Contains(t, exp.Pipelines, p.Name, s.experiment)
		assert.Contains(t, exp.Pipelines, who, s.experiment)
		guarantee, expected := s.breaks, harness.MustBreak
		if guarantee == "" {
			guarantee, expected = p.Claims, harness.MustHold
		}
		assert.Equal(t, expected, exp.Expect[who][guarantee], "%s: %s of %s", s.experiment, guarantee, who)
		assert.Contains(t, tests[s.test], s.experiment, "%s must run it", s.test)
		if never := neverBreaks(t, p.Name); who == p.Name {
			assert.Equal(t, never, s.breaks == "" || s.breaks != p.Claims, "%s claims %s, which breaks: %s", p.Name, p.Claims, breaksWhen(t, p.Name))
		}
	}
	for name := range failures {
		assert.True(t, known[name], "there is no pipeline %s", name)
	}
}

func breaksWhen(t *testing.T, name string) string {
	t.Helper()
	d, err := workloads.Describe(name)
	require.NoError(t, err)
	return d.BreaksWhen
}

func neverBreaks(t *testing.T, name string) bool {
	return strings.HasPrefix(breaksWhen(t, name), "never")
}

// e2eTests lists the strings in the body of each test of cmd/e2e: the experiments that it runs are among them.
func e2eTests(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e2e, "*_test.go"))
	require.NoError(t, err)
	tests := map[string][]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") {
				tests[f.Name.Name] = stringsIn(f.Body)
			}
		}
	}
	return tests
}

func stringsIn(n ast.Node) (all []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}

// TestEveryPipelineRunsLeftAlone: each is once in the experiments of cmd/e2e that have no fault, with as many workers as a
// small machine carries.
func TestEveryPipelineRunsLeftAlone(t *testing.T) {
	const mostProcesses = 24
	files, err := filepath.Glob(filepath.Join(e2e, "testdata", "together-*.yaml"))
	require.NoError(t, err)
	var ran []string
	for _, file := range files {
		exp, err := LoadFile(file)
		require.NoError(t, err)
		assert.Empty(t, exp.Faults, file)
		assert.LessOrEqual(t, len(exp.Pipelines)*exp.Workers, mostProcesses, file)
		ran = append(ran, exp.Pipelines...)
	}
	slices.Sort(ran)
	var all []string
	for _, p := range workloads.Infos() {
		all = append(all, p.Name)
	}
	assert.Equal(t, all, ran, "add it to one of %v", files)
}
