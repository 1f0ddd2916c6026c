import { toolset } from '#call/tool.ts';
import { createPost } from './create-post.ts';
import { deletePost } from './delete-post.ts';
import { getAnalytics } from './get-analytics.ts';
import { getConstraints } from './get-constraints.ts';
import { getImportTemplate } from './get-import-template.ts';
import { getPost } from './get-post.ts';
import { getPostMetrics } from './get-post-metrics.ts';
import { importPosts } from './import-posts.ts';
import { listPostLogs } from './list-post-logs.ts';
import { listPosts } from './list-posts.ts';
import { publishPost } from './publish-post.ts';
import { reschedulePosts } from './reschedule-posts.ts';
import { retryPost } from './retry-post.ts';
import { unpublishPost } from './unpublish-post.ts';
import { updatePost } from './update-post.ts';
import { validatePost } from './validate-post.ts';

export const posts = toolset('posts', 'Posts', 'Drafting, scheduling and publishing posts; their outcomes.', [
  createPost,
  listPosts,
  getPost,
  updatePost,
  reschedulePosts,
  deletePost,
  publishPost,
  retryPost,
  unpublishPost,
  getPostMetrics,
  getAnalytics,
  listPostLogs,
  importPosts,
  getImportTemplate,
  getConstraints,
  validatePost,
]);
