import { readFileSync, readdirSync } from 'node:fs';

/** The most memory that the process for pictures of this process had, in megabytes; undefined if it is not there. */
export function peakMb(): number | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('picture-process')) continue;
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      if (!status.includes(`PPid:\t${process.pid}\n`)) continue;
      return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
    } catch {
      // It has just ended.
    }
  }
  return undefined;
}
