import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder that is removed with the test, or when `atEnd` says. */
export function makeFolder(atEnd: (end: () => void) => unknown = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file anew: whoever reads it meanwhile reads the old text or the new one. */
export function replaceFile(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
