import { afterEach, vi } from 'vitest';

// Files share their thread and its globals: a clock left moved would be the next file's surprise.
afterEach(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('this test left fake timers on; call vi.useRealTimers() in its own clean-up');
});
