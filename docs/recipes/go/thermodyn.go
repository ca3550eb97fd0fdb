// Package orders: a server for tests, on a free port with a clock that stands still.
package orders

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Thermodyn is a server that ends with the test.
type Thermodyn struct {
	URL string
	t   testing.TB
}

// Start starts it.
func Start(t testing.TB, options ...string) *Thermodyn {
	t.Helper()
	command := exec.Command("thermodyn", append([]string{"--port", "0", "--preset", "unit-test", "--log-level", "warn"}, options...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(lines.Text()); found != nil {
			return &Thermodyn{URL: found[1], t: t}
		}
	}
	t.Fatal("the server does not start")
	return nil
}

// Control calls an endpoint under /_thermodyn/; the answer is decoded into out unless that is nil.
func (s *Thermodyn) Control(method, path, body string, out interface{}) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.URL+"/_thermodyn/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %s", method, path, answer.Status, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Reset drops all tables but those of fixtures, and sets clock, capacity and faults back.
func (s *Thermodyn) Reset() { s.Control("POST", "reset", "", nil) }

// Advance lets milliseconds pass.
func (s *Thermodyn) Advance(ms int) {
	s.Control("POST", "clock/advance", fmt.Sprintf(`{"ms":%d}`, ms), nil)
}

// Throttled counts the requests of a table that were refused, by reason.
func (s *Thermodyn) Throttled(table string) map[string]int {
	var totals struct {
		Tables []struct {
			Resources []struct{ Reasons map[string]int }
		}
	}
	s.Control("GET", "totals?table="+table, "", &totals)
	reasons := map[string]int{}
	for _, resource := range totals.Tables[0].Resources {
		for reason, count := range resource.Reasons {
			if count > 0 {
				reasons[reason] += count
			}
		}
	}
	return reasons
}
