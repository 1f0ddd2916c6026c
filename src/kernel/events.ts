/** All outbound events in display order, except those about actions. */
export const EVENTS = Object.freeze({
  'comment.received': ['inbox', 'A new comment arrives on a connected account.'],
  'dm.received': ['inbox', 'A new direct message arrives; metadata.referral tells the ad it came from.'],
  'dm.sent': ['inbox', 'The account sent a direct message.'],
  'dm.referral': ['inbox', 'A person opened an ad or referral link without writing.'],
  'dm.postback': ['inbox', 'A person tapped a button or quick reply.'],
  'review.received': ['inbox', 'A new review arrives.'],
  'mention.received': ['inbox', 'The account is mentioned; an array when mentions were listed.'],
  'dm.status.sent': ['inbox', 'The platform accepted a direct message of ours.'],
  'dm.status.delivered': ['inbox', 'A direct message of ours was delivered.'],
  'dm.status.read': ['inbox', 'A direct message of ours was read.'],
  'dm.status.failed': ['inbox', 'A direct message of ours could not be delivered.'],
  'post.scheduled': ['posts', 'A post was created for a future time.'],
  'post.published': ['posts', 'A post was published on all its targets.'],
  'post.partial': ['posts', 'A post was published on some targets and failed on others.'],
  'post.failed': ['posts', 'A post failed on all its targets.'],
  'post.updated': ['posts', 'A draft, scheduled or failed post was edited.'],
  'post.deleted': ['posts', 'A post was deleted.'],
  'post.unpublished': ['posts', 'A published post was taken down from one or more platforms.'],
  'post.retried': ['posts', 'The failed targets of a post are tried again.'],
  'account.connected': ['accounts', 'An account finished connecting.'],
  'account.disconnected': ['accounts', 'The platform ended our access, or the account must be connected again.'],
  'page.removed': ['accounts', 'A page of an account no longer exists on the platform.'],
} as const satisfies Record<string, readonly [category: 'inbox' | 'posts' | 'accounts', description: string]>);

/** Events about the actions of connections, in display order. Endpoints receive them only if they name them. */
export const ACTION_EVENTS = Object.freeze({
  'action.held': ['actions', 'A connection asked for something that a person has to decide on.'],
  'action.approved': ['actions', 'A person, or a key that decides, agreed to an action, which is done now.'],
  'action.denied': ['actions', 'A person, or a key that decides, denied an action.'],
  'action.expired': ['actions', 'Nobody decided on an action in time.'],
  'action.completed': ['actions', 'An approved action was done.'],
  'action.failed': ['actions', 'An approved action was refused; error_code says why.'],
} as const satisfies Record<string, readonly [category: 'actions', description: string]>);

const text = { type: 'string' } as const;
const orNull = (description: string) => ({ type: ['string', 'null'], description }) as const;
const list = (description: string) => ({ type: 'array', items: text, description }) as const;

/** JSON Schema of `data` in events about actions, which omit the action's texts: get_action returns those. */
export const ACTION_EVENT_DATA = Object.freeze({
  type: 'object',
  properties: {
    action_id: { ...text, description: 'Id of the action, which get_action reads.' },
    connection_id: { ...text, description: 'Id of the connection that asked.' },
    client: orNull('Name that the app or key had when it asked; null if it is not known any more.'),
    tool: { ...text, description: 'Operation that was asked for.' },
    act: { ...text, description: 'Act that it comes to.' },
    state: { ...text, description: 'held, approved, denied, expired, done or failed.' },
    reasons: list('Why it waits: the act, or the cap of the day.'),
    brand_id: orNull('Brand of the first account that it names.'),
    brand_ids: list('Brands of the accounts that it names.'),
    account_ids: list('Accounts that it names; none where it names a conversation, comment or review.'),
    review_url: { ...text, description: 'Page on which a person decides, once signed in.' },
    created_at: { ...text, description: 'When it was asked for.' },
    expires_at: { ...text, description: 'Until when it can be decided.' },
    decided_by: orNull(
      'Name of the person, or of the owner of the key, who decided; null if nobody has, or if they have left.',
    ),
    note: orNull('What that person told the one who asked.'),
    error_code: orNull('Code of the refusal of a failed action.'),
  },
  required: [
    'action_id',
    'connection_id',
    'client',
    'tool',
    'act',
    'state',
    'reasons',
    'brand_id',
    'brand_ids',
    'account_ids',
    'review_url',
    'created_at',
    'expires_at',
    'decided_by',
    'note',
    'error_code',
  ],
  additionalProperties: false,
} as const);

const ALL = Object.freeze({ ...EVENTS, ...ACTION_EVENTS });

export type EventName = keyof typeof ALL;
export type EventCategory = (typeof ALL)[EventName][0];

export function isEvent(value: unknown): value is EventName {
  return typeof value === 'string' && Object.hasOwn(ALL, value);
}

export function categoryOf(name: EventName): EventCategory {
  return ALL[name][0];
}
