/** A workload of one node over PostgreSQL. */
export type PostgresPoint = {
  name: string
  about: string
  use: 'calibration' | 'validation'
  operation: 'R' | 'W'
  connections: number
}

const point = (operation: 'R' | 'W', connections: number, use: PostgresPoint['use']): PostgresPoint => ({
  name: `PostgreSQL ${operation} ${connections}`,
  about: operation === 'R' ? 'reads, one node' : 'creates, one node',
  ...{ use, operation, connections },
})

export const POSTGRES_CALIBRATION = {
  reads2: point('R', 2, 'calibration'),
  reads16: point('R', 16, 'calibration'),
  writes1: point('W', 1, 'calibration'),
  writes32: point('W', 32, 'calibration'),
} as const

export const POSTGRES_VALIDATION: readonly PostgresPoint[] = [
  point('R', 8, 'validation'),
  point('R', 32, 'validation'),
  point('W', 8, 'validation'),
  point('W', 64, 'validation'),
]
