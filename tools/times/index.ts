import { toolset } from '#call/tool.ts';
import { getPostingTimes } from './get-posting-times.ts';
import { listFreeTimes } from './list-free-times.ts';
import { setPostingTimes } from './set-posting-times.ts';

export const times = toolset('times', 'Posting times', 'Weekly times to publish at.', [
  listFreeTimes,
  getPostingTimes,
  setPostingTimes,
]);
