import type { Options } from '../options.ts'

/** A measurement besides the comparison. Resolves with figures by name; rejects with the reason if it cannot be made. */
export type Measure = { name: string; measure(options: Options): Promise<Record<string, number>> }

/** Rounds a figure to its significant digits. */
export const figure = (value: number): number => Number(value.toPrecision(4))
