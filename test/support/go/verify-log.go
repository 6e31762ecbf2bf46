// Verifies a public log with golang.org/x/mod/sumdb only, and shares no code with the service.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run verify-log.go -key VKEY [-witness VKEY] [-older FILE] [-proofs DIR] [-checkpoint-only] LOG
//
// LOG is the address of a log (https://memory.example/log) or a directory with its files.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8
const width = 1 << height

func check(err error, what string) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

// read returns a file of the log by its path.
func read(base, path string) ([]byte, error) {
	if !strings.HasPrefix(base, "http") {
		return os.ReadFile(filepath.Join(base, path))
	}
	answer, err := http.Get(base + "/" + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s is answered %s", path, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// tiles reads the tiles of c2sp.org/tlog-tiles, whose paths do not name the height.
type tiles struct{ base string }

func (t tiles) Height() int                         { return height }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range wanted {
		file, err := read(t.base, strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		data = append(data, file)
	}
	return data, nil
}

// cosigner verifies c2sp.org/tlog-cosignature by Ed25519, which package note does not know.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }
func (c cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	head := fmt.Sprintf("cosignature/v1\ntime %d\n", binary.BigEndian.Uint64(signature))
	return ed25519.Verify(c.key, append([]byte(head), text...), signature[8:])
}

func newCosigner(vkey string) note.Verifier {
	parts := strings.SplitN(vkey, "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	check(err, "The key of the witness")
	if len(parts) != 3 || len(key) != 33 || key[0] != 4 {
		log.Fatal("The key of the witness is not one for cosignatures by Ed25519.")
	}
	digest := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	if fmt.Sprintf("%x", digest[:4]) != parts[1] {
		log.Fatal("The id of the key of the witness is wrong.")
	}
	return cosigner{parts[0], binary.BigEndian.Uint32(digest[:4]), key[1:]}
}

// open verifies the signatures of a checkpoint and reads it.
func open(source []byte, verifiers ...note.Verifier) (tlog.Tree, *note.Note) {
	signed, err := note.Open(source, note.VerifierList(verifiers...))
	check(err, "The checkpoint")
	lines := strings.Split(signed.Text, "\n")
	if len(lines) < 4 || lines[0] != verifiers[0].Name() {
		log.Fatal("The checkpoint is not of the log that the key names.")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "The size")
	root, err := tlog.ParseHash(lines[2])
	check(err, "The root")
	return tlog.Tree{N: size, Hash: root}, signed
}

// entries reads the entries of a bundle, each after its length.
func entries(bundle []byte) (all [][]byte) {
	for len(bundle) > 1 {
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		all = append(all, bundle[2:end])
		bundle = bundle[end:]
	}
	return all
}

// checkProof verifies a .tlog-proof: the entry is made again from its statement.
func checkProof(source []byte, verifier note.Verifier) {
	parts := strings.SplitN(string(source), "\n\n", 2)
	tree, _ := open([]byte(parts[1]), verifier)
	lines := strings.Split(parts[0], "\n")
	extra, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err, "The statement")
	var statement struct{ Record, Kind string }
	check(json.Unmarshal(extra[16:], &statement), "The statement")
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err, "The index")
	if strconv.FormatInt(index+1, 10) != statement.Record {
		log.Fatal("The statement is of another record.")
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		check(err, "A hash of the proof")
		proof = append(proof, hash)
	}
	commitment := sha256.Sum256(extra)
	entry := fmt.Sprintf("palimpsest-record/v1\n%s %s\n%s\n", statement.Record, statement.Kind, base64.StdEncoding.EncodeToString(commitment[:]))
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash([]byte(entry))), "The proof of record "+statement.Record)
}

func main() {
	log.SetFlags(0)
	key := flag.String("key", "", "the verifier key of the log")
	witness := flag.String("witness", "", "the verifier key of a witness that must have cosigned")
	older := flag.String("older", "", "a file with an older checkpoint, with which the log must begin")
	only := flag.Bool("checkpoint-only", false, "look at nothing but the checkpoint")
	proofs := flag.String("proofs", "", "a directory of .tlog-proof files")
	flag.Parse()
	base := strings.TrimSuffix(flag.Arg(0), "/")
	verifier, err := note.NewVerifier(*key)
	check(err, "The key of the log")

	source, err := read(base, "checkpoint")
	check(err, "The checkpoint")
	tree, signed := open(source, verifier)
	if *witness != "" {
		_, signed = open(source, verifier, newCosigner(*witness))
		if len(signed.Sigs) != 2 {
			log.Fatal("The witness did not cosign the checkpoint.")
		}
	}
	hashes := tlog.TileHashReader(tree, tiles{base})
	if *older != "" {
		text, err := os.ReadFile(*older)
		check(err, "The older checkpoint")
		before, _ := open(text, verifier)
		proof, err := tlog.ProveTree(tree.N, before.N, hashes)
		check(err, "The consistency proof")
		check(tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash), "The older checkpoint")
		fmt.Printf("begins with the %d records of the older checkpoint\n", before.N)
	}
	for start := int64(0); !*only && start < tree.N; start += width {
		tile := tlog.Tile{H: height, L: 0, N: start / width, W: width}
		if tree.N-start < width {
			tile.W = int(tree.N - start)
		}
		bundle, err := read(base, strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		check(err, "A bundle of entries")
		all := entries(bundle)
		if len(all) != tile.W {
			log.Fatalf("A bundle has %d entries.", len(all))
		}
		for at, entry := range all {
			index := start + int64(at)
			if !bytes.HasPrefix(entry, []byte(fmt.Sprintf("palimpsest-record/v1\n%d ", index+1))) {
				log.Fatalf("Leaf %d is of another record.", index)
			}
			proof, err := tlog.ProveRecord(tree.N, index, hashes)
			check(err, "The inclusion proof")
			check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)), fmt.Sprintf("Record %d", index+1))
		}
	}
	fmt.Printf("%d records are in the log that %d keys signed\n", tree.N, len(signed.Sigs))
	if *proofs != "" {
		files, err := filepath.Glob(filepath.Join(*proofs, "*.tlog-proof"))
		check(err, "The proofs")
		for _, file := range files {
			source, err := os.ReadFile(file)
			check(err, file)
			checkProof(source, verifier)
		}
		fmt.Printf("%d proofs hold\n", len(files))
	}
}
