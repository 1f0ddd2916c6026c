/** What the public clients offer beside publishing, and what of that no server of ours answers. */

/** Tools of the inbox, of pages, and of what is told about accounts. */
export const INBOX_TOOLS: readonly string[] = [
  'delete_comment',
  'delete_review_reply',
  'events_summary',
  'exchange_oauth',
  'get_account_limits',
  'get_conversation',
  'get_creator_info',
  'get_mentions',
  'get_reviews',
  'hide_comment',
  'like_comment',
  'list_account_pages',
  'list_conversations',
  'list_events',
  'list_inbox_posts',
  'list_messages',
  'list_post_comments',
  'mark_conversation_read',
  'private_reply_to_comment',
  'reply_to_comment',
  'reply_to_review',
  'send_dm',
  'unhide_comment',
  'unlike_comment',
  'update_account_page',
  'update_conversation',
  'update_review_reply',
];

/** Tools of routes that the contract does not have: left over from older versions of the hosted product. */
export const TOOLS_NEVER: readonly string[] = ['get_comment_replies', 'moderate_comment', 'send_feedback'];

/** Operations of the n8n node for the inbox, and for what is told about accounts; it offers none that is missing. */
export const INBOX_OPERATIONS: readonly string[] = [
  'account exchange',
  'account getLimits',
  'account listPages',
  'comment delete',
  'comment getAll',
  'comment getReplies',
  'comment hide',
  'comment like',
  'comment listPosts',
  'comment privateReply',
  'comment reply',
  'comment unhide',
  'comment unlike',
  'conversation get',
  'conversation getAll',
  'conversation listMessages',
  'conversation markRead',
  'conversation send',
  'conversation update',
  'mention getAll',
  'review getAll',
  'review reply',
];
