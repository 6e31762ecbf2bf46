/** A mistake of the operator: `message` is one sentence with the mend, to be shown without a stack. */
export class OperatorError extends Error {}

/** What the system answers about files, in words. */
const SYSTEM_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ENOENT: 'there is no such file or directory',
  EEXIST: 'there is a file of this name',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a link',
  ENAMETOOLONG: 'its name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'its file system is read-only',
  EIO: 'the disk failed',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
}

/** Why the system refused something about a file, in words where it is a common fault. */
export function systemFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return SYSTEM_FAULTS[code] ?? message
}
