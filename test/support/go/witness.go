// Cosigns the checkpoints of one log (c2sp.org/tlog-witness) with golang.org/x/mod/sumdb only, and shares no code with the service. It
// keeps its state in memory.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run witness.go -key VKEY -name NAME
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// witness has the key of a log, its own name and key, and the last tree that it cosigned.
type witness struct {
	log  note.Verifier
	name string
	key  ed25519.PrivateKey
	mu   sync.Mutex
	last tlog.Tree
}

// id is the hash of the name and of the public key with its type, 4 for cosignatures by Ed25519.
func (w *witness) id() []byte {
	digest := sha256.Sum256(append([]byte(w.name+"\n\x04"), w.key.Public().(ed25519.PublicKey)...))
	return digest[:4]
}

func (w *witness) vkey() string {
	key := append([]byte{4}, w.key.Public().(ed25519.PublicKey)...)
	return fmt.Sprintf("%s+%x+%s", w.name, w.id(), base64.StdEncoding.EncodeToString(key))
}

// cosign returns the line of a cosignature under a text at a time.
func (w *witness) cosign(text string, at uint64) string {
	signature := binary.BigEndian.AppendUint64(w.id(), at)
	signed := ed25519.Sign(w.key, []byte(fmt.Sprintf("cosignature/v1\ntime %d\n%s", at, text)))
	return fmt.Sprintf("— %s %s\n", w.name, base64.StdEncoding.EncodeToString(append(signature, signed...)))
}

// read reads a submission: the old size, the consistency proof and the checkpoint.
func read(body []byte) (old int64, proof tlog.TreeProof, checkpoint []byte, err error) {
	head, checkpoint, found := bytes.Cut(body, []byte("\n\n"))
	if !found {
		return 0, nil, nil, fmt.Errorf("there is no empty line")
	}
	lines := strings.Split(string(head), "\n")
	if old, err = strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64); err != nil {
		return 0, nil, nil, err
	}
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 0, nil, nil, err
		}
		proof = append(proof, hash)
	}
	return old, proof, checkpoint, nil
}

// judge answers a submission with a status and a body.
func (w *witness) judge(body []byte) (int, string) {
	old, proof, checkpoint, err := read(body)
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	signed, err := note.Open(checkpoint, note.VerifierList(w.log))
	if err != nil {
		return http.StatusForbidden, err.Error()
	}
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != w.log.Name() {
		return http.StatusNotFound, "another log"
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil || old > size {
		return http.StatusBadRequest, "the root, or the old size"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if old != w.last.N {
		return http.StatusConflict, fmt.Sprintf("%d\n", w.last.N)
	}
	// The package has no proof from an empty tree.
	if old > 0 {
		if err := tlog.CheckTree(proof, size, root, w.last.N, w.last.Hash); err != nil {
			return http.StatusUnprocessableEntity, err.Error()
		}
	}
	w.last = tlog.Tree{N: size, Hash: root}
	return http.StatusOK, w.cosign(signed.Text, uint64(time.Now().Unix()))
}

func (w *witness) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost || request.URL.Path != "/add-checkpoint" {
		http.NotFound(answer, request)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, 1<<17))
	if err != nil {
		http.Error(answer, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	status, text := w.judge(body)
	if status == http.StatusConflict {
		answer.Header().Set("Content-Type", "text/x.tlog.size")
	}
	answer.WriteHeader(status)
	io.WriteString(answer, text)
}

func main() {
	log.SetFlags(0)
	key := flag.String("key", "", "the verifier key of the log")
	name := flag.String("name", "witness.example/go", "the name of the witness")
	flag.Parse()
	verifier, err := note.NewVerifier(*key)
	if err != nil {
		log.Fatalf("The key of the log: %v", err)
	}
	_, own, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	cosigner := &witness{log: verifier, name: *name, key: own}
	fmt.Printf("listens at http://%s\n  key  %s\n", listener.Addr(), cosigner.vkey())
	log.Fatal(http.Serve(listener, cosigner))
}
