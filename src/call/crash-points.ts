/** The points at which a test may end the process, in the order in which a publish, a delivery and a send pass them. */
export const CRASH_POINTS = Object.freeze([
  'publish.claimed',
  'publish.pictures.made',
  'publish.step.sent',
  'publish.request.answered',
  'publish.step.kept',
  'publish.step.answered',
  'publish.step.committed',
  'publish.concluded',
  'delivery.claimed',
  'delivery.sent',
  'delivery.committed',
  'send.begun',
  'send.prepared',
  'send.sent',
  'send.answered',
  'send.committed',
  'request.performed',
  'push.taken',
  'action.started',
  'action.performed',
  'billing.push.received',
  'billing.push.stored',
  'billing.read',
] as const);

export type CrashPointName = (typeof CRASH_POINTS)[number];

/** Called at each crash point; does nothing in production. */
export type CrashPoint = (point: CrashPointName) => void;
