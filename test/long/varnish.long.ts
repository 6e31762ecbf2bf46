// The cache of deploy/ with as many reads as are promised, and the time until a hidden entry is gone.
process.env.CACHE_READS ??= '10000'
await import('../deploy/varnish.test.ts')
