import manifest from '../../package.json' with { type: 'json' }

/** The version of the package, of its interface and of the client in its User-Agent. */
export const VERSION: string = manifest.version
