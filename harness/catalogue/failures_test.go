package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
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
	// by is the pipeline with the same claim that shows it instead, failing as this one does.
	by string
	// notInMatrix is why the matrix leaves it out, and where it is instead. Producers, pipelines that notify and pipelines
	// that another stands in for need no reason.
	notInMatrix string
}

// failures has a line for every pipeline of the registry. It is the only table that a new pipeline needs a line in.
var failures = map[string]shown{
	"aborting": {by: "aborting-read-uncommitted"},
	"aborting-read-uncommitted": {
		experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhatIsNeverAsked", breaks: harness.ExactlyOnce,
		notInMatrix: "it writes as aborting does, and its readers break the claim without any fault: isolation",
	},
	"acks-all":               {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.AtLeastOnce},
	"acks-all-pipelined":     {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.AtLeastOnce},
	"acks0":                  {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhatIsNeverAsked", breaks: harness.AtLeastOnce},
	"acks1":                  {experiment: "leader-partition", test: "TestLeaderPartitionCostsAcks1ItsAcknowledgedRecords", breaks: harness.AtLeastOnce},
	"auto-commit":            {experiment: "worker-kill", test: "TestWorkerKillTellsThePipelinesApart", breaks: harness.AtLeastOnce},
	"auto-commit-greedy":     {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtLeastOnce},
	"auto-commit-sync":       {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtMostOnce},
	"commit-after":           {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest", breaks: harness.AtMostOnce},
	"commit-first":           {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest", breaks: harness.AtLeastOnce},
	"commit-out-of-order":    {experiment: "autocommit-async", test: "TestCommitsThatDontWaitForTheWorkLoseIt", breaks: harness.AtLeastOnce},
	"commit-then-notify":     {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.AtLeastOnce},
	"fan-out":                {experiment: "killed.yaml", test: "TestWorkersKilledWhereTheirPromisesAreThinnest"},
	"idempotent":             {experiment: "worker-kill", test: "TestWorkerKillTellsThePipelinesApart", breaks: harness.AtMostOnce},
	"idempotent-producer":    {experiment: "last-replica", test: "TestTheLastReplicaTakesWhatItAcknowledgedAlone", breaks: harness.ExactlyOnce},
	"idempotent-restart":     {experiment: "producer-restart", test: "TestProducersThatStartAgain", breaks: harness.ExactlyOnce},
	"notify-idempotency-key": {experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice", breaks: harness.ExactlyOnce},
	"notify-in-transaction":  {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.ExactlyOnce},
	"notify-then-commit":     {experiment: "side-effect", test: "TestEffectsAreJudgedAsOutputs", breaks: harness.AtMostOnce},
	"share-group":            {experiment: "share-group", test: "TestAShareGroupGivesUpWhatKillsItsWorkers", breaks: harness.AtLeastOnce},
	"slow-outside":           {experiment: "slow-transaction", test: "TestASlowCallStallsReadersOnlyInsideATransaction"},
	"slow-transaction":       {experiment: "slow-transaction", test: "TestASlowCallStallsReadersOnlyInsideATransaction"},
	"transactional":          {experiment: "lingering-txn", test: "TestLingeringTransactionIsNamed"},
	"transactional-halves": {
		experiment: "late-request-tv1", test: "TestALateEndTxnTearsUnderTransactionVersion1", breaks: harness.ExactlyOnce,
		notInMatrix: "it is made for late requests: late-request",
	},
	"transactional-halves-old-client": {
		experiment: "late-request-tv1", test: "TestALateEndTxnTearsUnderTransactionVersion1", breaks: harness.ExactlyOnce,
		notInMatrix: "it is made for late requests: late-request",
	},
	"transactional-manual":      {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly"},
	"transactional-no-metadata": {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly", breaks: harness.ExactlyOnce},
	"transactional-producer":    {experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice"},
	"transactional-producer-random-id": {
		experiment: "late.yaml", test: "TestWhatComesTooLateComesTwice", breaks: harness.ExactlyOnce,
	},
	"transactional-random-id": {experiment: "zombie-member", test: "TestZombieIsFencedByTheGroupsGenerationOnly"},
	"two-producers-one-id":    {experiment: "leader-gone.yaml", test: "TestALeaderThatIsGoneCostsWhatIsNeverAsked"},
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
		switch {
		case !ok:
			t.Errorf("%s has no line: where is its known failure seen on real brokers?", p.Name)
		case s.by != "":
			requireLikeness(t, p, s.by)
		default:
			requireShown(t, p, s, tests)
		}
	}
	for name := range failures {
		assert.True(t, known[name], "there is no pipeline %s", name)
	}
}

// requireLikeness requires that the pipeline that fails in p's place can do so.
func requireLikeness(t *testing.T, p harness.PipelineInfo, by string) {
	t.Helper()
	other, err := workloads.Lookup(by)
	require.NoError(t, err)
	assert.Equal(t, p.Claims, other.Claims, "%s fails as %s, which claims something else", p.Name, by)
	assert.Empty(t, failures[by].by, "%s fails as %s, which fails as another", p.Name, by)
}

func requireShown(t *testing.T, p harness.PipelineInfo, s shown, tests map[string][]string) {
	t.Helper()
	exp := openShown(t, s.experiment)
	assert.Contains(t, exp.Pipelines, p.Name, s.experiment)
	guarantee, expected := s.breaks, harness.MustBreak
	if guarantee == "" {
		guarantee, expected = p.Claims, harness.MustHold
	}
	assert.Equal(t, expected, exp.Expect[p.Name][guarantee], "%s: %s of %s", s.experiment, guarantee, p.Name)
	assert.Contains(t, tests[s.test], s.experiment, "%s must run it", s.test)
	never := strings.HasPrefix(breaksWhen(t, p.Name), "never")
	assert.Equal(t, never, s.breaks == "" || s.breaks != p.Claims, "%s claims %s, which breaks: %s", p.Name, p.Claims, breaksWhen(t, p.Name))
}

func breaksWhen(t *testing.T, name string) string {
	t.Helper()
	d, err := workloads.Describe(name)
	require.NoError(t, err)
	return d.BreaksWhen
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

// TestTheMatrixHasEveryPipeline: every pipeline that reads the input and writes an output is in it, or its line says why
// not.
func TestTheMatrixHasEveryPipeline(t *testing.T) {
	e, err := Find("matrix")
	require.NoError(t, err)
	for _, p := range workloads.Infos() {
		s := failures[p.Name]
		switch {
		case p.ProducerOnly || p.Effects || s.by != "":
		case s.notInMatrix == "":
			assert.Contains(t, e.Pipelines, p.Name, "add it, or say in notInMatrix where it is instead")
		default:
			assert.NotContains(t, e.Pipelines, p.Name, "notInMatrix: %s", s.notInMatrix)
		}
	}
}

// TestTheExperimentOfAllPipelinesLeavesThemAlone: cmd/e2e runs all of the registry by it.
func TestTheExperimentOfAllPipelinesLeavesThemAlone(t *testing.T) {
	exp := openShown(t, "together.yaml")
	assert.Empty(t, exp.Faults)
	assert.Equal(t, 1, exp.Workers)
}
