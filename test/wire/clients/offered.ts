/** What the public clients offer beside publishing, and what of that no server of ours answers. */

const words = (text: string) => text.trim().split(/\s+/);

/** Tools of the inbox, of pages, and of what is told about accounts. */
export const INBOX_TOOLS: readonly string[] = words(`
  delete_comment hide_comment like_comment list_post_comments private_reply_to_comment reply_to_comment
  unhide_comment unlike_comment list_inbox_posts
  get_conversation list_conversations list_messages mark_conversation_read send_dm update_conversation
  get_mentions get_reviews reply_to_review update_review_reply delete_review_reply
  exchange_oauth get_account_limits get_creator_info list_account_pages update_account_page
  list_events events_summary
`);

/** Tools of routes that the contract does not have: left over from older versions of the hosted product. */
export const TOOLS_NEVER: readonly string[] = ['get_comment_replies', 'moderate_comment', 'send_feedback'];

/** What the n8n node has for the inbox, and for what is told about accounts; it offers none that is missing. */
const INBOX: Readonly<Record<string, string>> = {
  account: 'exchange getLimits listPages',
  comment: 'delete getAll getReplies hide like listPosts privateReply reply unhide unlike',
  conversation: 'get getAll listMessages markRead send update',
  mention: 'getAll',
  review: 'getAll reply',
};
export const INBOX_OPERATIONS: readonly string[] = Object.entries(INBOX).flatMap(([resource, names]) =>
  words(names).map((name) => `${resource} ${name}`),
);
