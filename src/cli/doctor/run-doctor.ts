import { execFile } from 'node:child_process';
import type { CheckResult } from '#engine/readiness/checks.ts';

const DEADLINE_MS = 120_000;

/** Runs the doctor as a process of its own, so that its checks never hold up the server. */
export function runDoctor(): Promise<readonly CheckResult[]> {
  const args = [process.argv[1]!, 'doctor', '--json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: DEADLINE_MS }, (error, stdout) => {
      try {
        // Its exit code says what it found.
        resolve(JSON.parse(stdout) as readonly CheckResult[]);
      } catch (cause) {
        reject(error ?? (cause as Error));
      }
    });
  });
}
