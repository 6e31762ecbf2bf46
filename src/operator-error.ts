/** A mistake of the operator. `message` is one sentence with the remedy, to be shown without a stack. */
export class OperatorError extends Error {}

/** The code of an error of the system or of Node, for example ENOENT; undefined if it has none. */
export const errorCode = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code

/** Errors of the system about files, in words. */
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

/** The reason why the system refused an operation on a file, in words if it is a common one. */
export function systemFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return SYSTEM_FAULTS[code] ?? message
}

/** Faults that the sandbox of a unit causes for files that exist: other users and hidden folders. */
const HIDING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOENT'])

/** The reason why a file that a setting names cannot be read. Names the sandbox, if it can be the reason. */
export function settingFileFault(error: unknown): string {
  const code = errorCode(error) ?? ''
  if (code === 'ERR_ACCESS_DENIED')
    return 'the sandbox of Node hides it: put it into /etc/palimpsest, or add --allow-fs-read for it to ExecStart of the unit'
  const isUnit = process.env.SYSTEMD_EXEC_PID === String(process.pid)
  return isUnit && HIDING.has(code)
    ? `${systemFault(error)}, in the sandbox of the unit: pass the file by LoadCredential in a drop-in`
    : systemFault(error)
}
