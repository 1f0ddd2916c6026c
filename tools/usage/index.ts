import { toolset } from '../../src/call/tool.ts';
import { getUsage } from './get-usage.ts';
import { listPlans } from './list-plans.ts';

export const usage = toolset('usage', 'Usage and plans', 'What is used of the plan, and the plans there are.', [
  getUsage,
  listPlans,
]);
