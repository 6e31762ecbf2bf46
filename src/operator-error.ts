/** A mistake of the operator: `message` is one sentence with the mend, to be shown without a stack. */
export class OperatorError extends Error {}
