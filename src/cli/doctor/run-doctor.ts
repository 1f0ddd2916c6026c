import { execFile } from 'node:child_process';
import type { CheckResult } from '#engine/readiness/checks.ts';

const DEADLINE_MS = 120_000;

/** Runs the doctor in a separate process, so that its checks never hold up the server. */
export function runDoctor(): Promise<readonly CheckResult[]> {
  const args = [process.argv[1]!, 'doctor', '--json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: DEADLINE_MS }, (error, stdout) => {
      try {
        // The exit code only repeats what was found, so it is not an error.
        resolve(JSON.parse(stdout) as readonly CheckResult[]);
      } catch (cause) {
        reject(error ?? (cause as Error));
      }
    });
  });
}
