import type { Options } from '../options.ts'

/** A measurement beside the comparison: names of figures and their values. Rejects with the reason where it cannot be made. */
export type Measure = { name: string; measure(options: Options): Promise<Record<string, number>> }

/** Rounded to the digits that a figure is accurate to. */
export const figure = (value: number): number => Number(value.toPrecision(4))
