const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size in bytes, KB, MB and so on, for people. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${Number(value.toFixed(value >= 100 ? 0 : 1))} ${UNITS[power]}`;
}
