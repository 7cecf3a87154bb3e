package local

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers is a keeper whose answer to the first client comes after the one to the second, and was made before.
type answers struct{ second chan struct{} }

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	links := `{"proxy": "first-1-client"}`
	if strings.HasSuffix(r.URL.Path, "first") {
		<-a.second
	} else {
		links += `, {"proxy": "second-1-client"}`
	}
	body := fmt.Sprintf(`{"dials": {}, "links": [%s]}`, links)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestLinksOfClientsThatStartTogetherAreAllThere: a fault on a worker's links must find them.
func TestLinksOfClientsThatStartTogetherAreAllThere(t *testing.T) {
	a := answers{make(chan struct{})}
	c := &cluster{http: &http.Client{Transport: a}}
	var asking sync.WaitGroup
	asking.Go(func() {
		_, err := c.ClientLinks(t.Context(), "first")
		assert.NoError(t, err)
	})
	_, err := c.ClientLinks(t.Context(), "second")
	require.NoError(t, err)
	close(a.second)
	asking.Wait()
	require.Len(t, c.Links(), 2)
}
