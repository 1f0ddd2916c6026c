import { afterEach, beforeEach, vi } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds of the processor that the test took in its own thread; other threads and databases are left out. */
    cpuMs?: number;
  }
}

// Node 22 knows it of the whole process alone.
const usage = (process as Partial<NodeJS.Process>).threadCpuUsage ?? process.cpuUsage;

function cpuMs(): number {
  const { user, system } = usage.call(process);
  return (user + system) / 1000;
}

beforeEach(({ task }) => {
  const began = cpuMs();
  return () => void (task.meta.cpuMs = cpuMs() - began);
});

// Files share their thread and its globals: a clock left moved would be the next file's surprise.
afterEach(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('this test left fake timers on; call vi.useRealTimers() in its own clean-up');
});
