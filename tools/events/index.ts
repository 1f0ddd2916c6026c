import { toolset } from '#call/tool.ts';
import { eventsSummary } from './events-summary.ts';
import { listEvents } from './list-events.ts';
import { streamEvents } from './stream-events.ts';

export const events = toolset('events', 'Events log', 'What happened: listed, summed up and live.', [
  listEvents,
  eventsSummary,
  streamEvents,
]);
