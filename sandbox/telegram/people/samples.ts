/** Sample contents and service messages, in the format of the Bot API. */
import type { Render } from '../render.ts';

type User = ReturnType<Render['userOf']>;
type Around = Readonly<{ user: User; chat: object }>;
type Samples = Readonly<Record<string, (around: Around) => unknown>>;

const always = (value: unknown) => () => value;
const file = (id: string) => ({ file_id: `sample-${id}`, file_unique_id: `u${id}` });
const size = { width: 320, height: 240 };
const picture = [{ ...file('picture'), ...size }];
const moving = { ...file('video'), ...size, duration: 3 };
const sticker = { ...file('sticker'), ...size, type: 'regular', is_animated: false, is_video: false };
const plain = (text: string) => ({ type: 'paragraph', text });
const PLACE = { latitude: 52.52, longitude: 13.405 };
const rarity = { rarity_per_mille: 1 };
const COLORS = { center_color: 1, edge_color: 2, symbol_color: 3, text_color: 4 };
const SALE = { currency: 'EUR', total_amount: 450 };
const CHARGE = { invoice_payload: 'order-1', telegram_payment_charge_id: 'tg1', provider_payment_charge_id: 'pr1' };
const TASKS = [
  { id: 1, text: 'Bake' },
  { id: 2, text: 'Eat' },
];
const PRICE = { currency: 'XTR', amount: 5 };
const NOON = 1_796_040_000;

export const SHARED: Samples = Object.freeze({
  location: always(PLACE),
  venue: always({ location: PLACE, title: 'Harbour', address: 'Quay 1' }),
  contact: always({ phone_number: '+12025550199', first_name: 'Fay', last_name: 'Friend', user_id: 7 }),
  poll: always({
    id: '1',
    question: 'Rye or wheat?',
    options: ['Rye', 'Wheat'].map((text) => ({ persistent_id: text, text, voter_count: 0 })),
    total_voter_count: 0,
    is_closed: false,
    is_anonymous: true,
    type: 'regular',
    allows_multiple_answers: false,
    allows_revoting: true,
    members_only: false,
  }),
  dice: always({ emoji: '🎲', value: 4 }),
  game: always({ title: 'Loaf Stack', description: 'Stack loaves', photo: picture, text: '', text_entities: [] }),
  story: ({ chat }) => ({ chat, id: 3 }),
  live_photo: always({ ...moving, photo: picture }),
  paid_media: always({ star_count: 5, paid_media: [{ type: 'preview', ...size }] }),
  rich_message: always({
    blocks: [
      { type: 'heading', text: 'Bread', size: 1 },
      plain('Rye'),
      { type: 'list', items: [{ label: '1', blocks: [plain('Dark')] }] },
    ],
  }),
  checklist: always({ title: 'Breakfast', tasks: TASKS }),
  invoice: always({ ...SALE, title: 'A loaf', description: 'Rye', start_parameter: 'loaf' }),
  successful_payment: always({ ...SALE, ...CHARGE }),
  users_shared: always({ request_id: 1, users: [{ user_id: 7, first_name: 'Fay' }] }),
  chat_shared: always({ request_id: 2, chat_id: -1009, title: 'Bakers' }),
  web_app_data: always({ data: '{"size":"L"}', button_text: 'Choose' }),
  gift: always({ gift: { id: 'g1', sticker, star_count: 15 }, text: 'For you' }),
  unique_gift: always({
    origin: 'transfer',
    gift: {
      gift_id: 'g2',
      base_name: 'Loaf',
      name: 'Loaf-1',
      number: 1,
      model: { name: 'Rye', sticker, ...rarity },
      symbol: { name: 'Crumb', sticker, ...rarity },
      backdrop: { name: 'Oven', colors: COLORS, ...rarity },
    },
  }),
  giveaway: ({ chat }) => ({ chats: [chat], winners_selection_date: NOON, winner_count: 1 }),
  giveaway_winners: ({ chat, user }) => ({
    chat,
    giveaway_message_id: 1,
    winners_selection_date: NOON,
    winner_count: 1,
    winners: [user],
  }),
  passport_data: always({ data: [], credentials: { data: 'x', hash: 'x', secret: 'x' } }),
});

export const SERVICES: Samples = Object.freeze({
  new_chat_members: ({ user }) => [user],
  left_chat_member: ({ user }) => user,
  community_chat_joined: always({ community: { id: 1, name: 'Bakers' } }),
  community_chat_added: always({ community: { id: 1, name: 'Bakers' } }),
  community_chat_removed: always({}),
  new_chat_title: always('Crew'),
  new_chat_photo: always(picture),
  delete_chat_photo: always(true),
  chat_background_set: always({
    type: { type: 'fill', fill: { type: 'solid', color: 1 }, dark_theme_dimming: 0 },
  }),
  group_chat_created: always(true),
  supergroup_chat_created: always(true),
  channel_chat_created: always(true),
  chat_owner_left: ({ user: new_owner }) => ({ new_owner }),
  chat_owner_changed: ({ user: new_owner }) => ({ new_owner }),
  pinned_message: ({ chat }) => ({ chat, message_id: 1, date: 0 }),
  message_auto_delete_timer_changed: always({ message_auto_delete_time: 86_400 }),
  write_access_allowed: always({ from_request: true }),
  connected_website: always('bakery.example'),
  proximity_alert_triggered: ({ user }) => ({ traveler: user, watcher: user, distance: 50 }),
  boost_added: always({ boost_count: 1 }),
  poll_option_added: always({ option_persistent_id: '3', option_text: 'Oat' }),
  poll_option_deleted: always({ option_persistent_id: '3', option_text: 'Oat' }),
  checklist_tasks_done: always({ marked_as_done_task_ids: [1] }),
  checklist_tasks_added: always({ tasks: TASKS }),
  refunded_payment: always({ ...SALE, ...CHARGE }),
  gift_upgrade_sent: always({ gift: { id: 'g1', sticker, star_count: 15 } }),
  giveaway_created: always({}),
  giveaway_completed: always({ winner_count: 1 }),
  managed_bot_created: ({ user: bot }) => ({ bot }),
  paid_message_price_changed: always({ paid_message_star_count: 1 }),
  direct_message_price_changed: always({ are_direct_messages_enabled: true, direct_message_star_count: 1 }),
  suggested_post_approved: always({ send_date: NOON }),
  suggested_post_approval_failed: always({ price: PRICE }),
  suggested_post_declined: always({ comment: 'No' }),
  suggested_post_paid: always(PRICE),
  suggested_post_refunded: always({ reason: 'post_deleted' }),
  forum_topic_created: always({ name: 'Rye', icon_color: 7_322_096 }),
  forum_topic_edited: always({ name: 'Rye bread' }),
  forum_topic_closed: always({}),
  forum_topic_reopened: always({}),
  general_forum_topic_hidden: always({}),
  general_forum_topic_unhidden: always({}),
  video_chat_scheduled: always({ start_date: NOON }),
  video_chat_started: always({}),
  video_chat_ended: always({ duration: 60 }),
  video_chat_participants_invited: ({ user }) => ({ users: [user] }),
});
