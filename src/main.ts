import { serve } from './cli/serve.ts'
import { readConfig } from './config.ts'

await serve(readConfig(process.env))
