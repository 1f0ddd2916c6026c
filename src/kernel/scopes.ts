export const SCOPES = Object.freeze({
  'accounts:read': ['Accounts', 'List brands, accounts, pages and limits.'],
  'accounts:manage': ['Accounts', 'Connect, configure and disconnect accounts.'],
  'posts:read': ['Posts', 'Read posts, metrics and publishing logs.'],
  'posts:write': ['Posts', 'Create, publish, change and remove posts.'],
  'media:read': ['Media', 'List media and storage use.'],
  'media:write': ['Media', 'Upload and delete media.'],
  'inbox:read': ['Inbox', 'Read comments, reviews and mentions.'],
  'inbox:write': ['Inbox', 'Answer and moderate comments, reviews and mentions.'],
  'dms:read': ['Messages', 'Read direct messages.'],
  'dms:send': ['Messages', 'Send direct messages and manage conversations.'],
  'webhooks:manage': ['Account-level', 'Manage webhook endpoints and deliveries.'],
  'analytics:read': ['Account-level', 'Read the events log, summaries and exports.'],
} as const satisfies Record<string, readonly [group: string, description: string]>);

export type Scope = keyof typeof SCOPES;

export function isScope(value: unknown): value is Scope {
  return typeof value === 'string' && Object.hasOwn(SCOPES, value);
}

/** Scopes that a key limited to brands cannot have, because they give access to data of the whole workspace. */
export const WORKSPACE_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['webhooks:manage', 'analytics:read']);
