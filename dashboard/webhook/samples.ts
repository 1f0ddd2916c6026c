const AT = '2026-01-31T09:00:00.000Z';
const ACCOUNT = { brand_id: 'brd_sample', account_id: 'acc_sample', platform: 'facebook' };
const PERSON = { id: '1001', name: 'Ada Lovelace', username: 'ada', avatar_url: null };
const FAILURE = 'publishing.delivery.not_supported';
const POST = { post_id: 'post_sample', brand_id: 'brd_sample', brand_ids: ['brd_sample'] };

const written = (type: string, text: string, more: object = {}) => ({
  id: `${type}_sample`,
  type,
  ...ACCOUNT,
  platform_id: '2002',
  author: PERSON,
  content: { text, media: [] },
  created_at: AT,
  received_at: AT,
  metadata: {},
  ...more,
});
const message = (text: string, more: object = {}) => written('dm', text, { conversation_id: 'cnv_sample', ...more });
const status = (name: string, more: object = {}) => ({
  ...ACCOUNT,
  conversation_id: 'cnv_sample',
  status: name,
  mids: ['2002'],
  message_ids: ['2002'],
  recipient_id: PERSON.id,
  occurred_at: AT,
  ...more,
  metadata: {},
});
const target = (more: object) => ({
  account_id: 'acc_sample',
  brand_id: 'brd_sample',
  platform: 'facebook',
  status: 'published',
  page_id: null,
  board_id: null,
  text: null,
  title: null,
  first_comment: null,
  visibility: null,
  media: [],
  media_ids: [],
  platform_data: null,
  scheduled_at: null,
  platform_post_id: '3003',
  permalink: 'https://www.facebook.com/3003',
  segments: [],
  partly_public: false,
  published_at: AT,
  attempts: 1,
  error_code: null,
  error: null,
  metrics: null,
  metrics_synced_at: null,
  platform_media: null,
  metadata: {},
  ...more,
});
const published = target({});
const failed = target({
  status: 'failed',
  platform_post_id: null,
  permalink: null,
  published_at: null,
  error_code: FAILURE,
  error: { code: FAILURE, category: 'validation', message: 'The platform cannot publish this kind of post.' },
});
const action = (state: string, more: object = {}) => ({
  action_id: 'act_sample',
  connection_id: 'con_sample',
  client: 'Claude',
  tool: 'create_post',
  act: 'publish',
  state,
  reasons: ['act'],
  brand_id: 'brd_sample',
  brand_ids: ['brd_sample'],
  account_ids: ['acc_sample'],
  review_url: 'https://social.example.org/review/act_sample',
  created_at: AT,
  expires_at: '2026-02-07T09:00:00.000Z',
  decided_by: null,
  note: null,
  error_code: null,
  ...more,
});
const decided = { decided_by: 'Ada Lovelace' };

const SAMPLES: ReadonlyMap<string, object> = new Map<string, object>([
  [
    'comment.received',
    written('comment', 'When do you open?', { post_id: 'post_sample', is_reply: false, parent_id: null }),
  ],
  ['dm.received', message('When do you open?')],
  [
    'dm.sent',
    message('At nine.', {
      author: { id: '4004', name: 'Example Bakery', username: null, avatar_url: null },
      recipient: { id: PERSON.id, name: PERSON.name },
    }),
  ],
  ['dm.referral', message('', { metadata: { referral: { ref: 'spring' } } })],
  ['dm.postback', message('Yes', { metadata: { title: 'Yes', payload: 'YES' } })],
  ['review.received', written('review', 'Good bread.', { rating: 5 })],
  ['mention.received', written('mention', 'Breakfast at @example')],
  ['dm.status.sent', status('sent')],
  ['dm.status.delivered', status('delivered')],
  ['dm.status.read', status('read')],
  ['dm.status.failed', status('failed', { error_code: FAILURE, error_message: 'The number is unknown.' })],
  [
    'post.scheduled',
    {
      ...POST,
      status: 'scheduled',
      scheduled_at: AT,
      targets: [{ account_id: 'acc_sample', platform: 'facebook' }],
    },
  ],
  ['post.published', { ...POST, status: 'published', results: [published] }],
  ['post.partial', { ...POST, status: 'partial', results: [published, failed] }],
  ['post.failed', { ...POST, status: 'failed', error_code: FAILURE, results: [failed] }],
  ['post.updated', { ...POST, status: 'scheduled', changed_fields: ['text'] }],
  ['post.deleted', { ...POST, was_status: 'draft' }],
  ['post.unpublished', { ...POST, account_id: null, account_ids: ['acc_sample'], unpublished_count: 1 }],
  ['post.retried', { ...POST, retried_count: 1 }],
  [
    'account.connected',
    {
      ...ACCOUNT,
      platform_user_id: '4004',
      username: 'example',
      display_name: 'Example Bakery',
      profile_picture_url: null,
      bio: null,
      profile_url: 'https://www.facebook.com/example',
      user_email: null,
      connected_at: AT,
    },
  ],
  [
    'account.disconnected',
    {
      ...ACCOUNT,
      reason: 'access_revoked',
      reconnect_required: true,
      reconnect_reason: 'The access was withdrawn on the platform.',
      disconnected_at: AT,
    },
  ],
  [
    'page.removed',
    { ...ACCOUNT, page_id: 'page_sample', platform_page_id: '4004', name: 'Example Bakery', reason: 'page_not_found' },
  ],
  ['action.held', action('held')],
  ['action.approved', action('approved', decided)],
  ['action.denied', action('denied', { ...decided, note: 'Not on a Sunday.' })],
  ['action.expired', action('expired')],
  ['action.completed', action('done', decided)],
  ['action.failed', action('failed', { ...decided, error_code: 'account.reconnection_required' })],
]);

/** The body of an event as receivers get it, with sample values. */
export const sampleOf = (event: string): string =>
  JSON.stringify({ event, data: SAMPLES.get(event) ?? {} }, undefined, 2);
