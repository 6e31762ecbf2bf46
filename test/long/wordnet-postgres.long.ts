/** The tests of test/acceptance/wordnet.test.ts with more entries, on PostgreSQL. */
process.env.TEST_ENGINE = 'postgres'
process.env.WORDNET_ENTRIES = '5000'
await import('../acceptance/wordnet.test.ts')
