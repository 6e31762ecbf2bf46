// The fuzz of the contract with as many requests as are promised; TEST_ENGINE=postgres runs it there.
process.env.FUZZ_REQUESTS ??= '100000'
await import('../contract/fuzz.test.ts')
