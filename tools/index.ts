import { accounts } from './accounts/index.ts';
import { brands } from './brands/index.ts';
import { keys } from './keys/index.ts';
import { media } from './media/index.ts';
import { posts } from './posts/index.ts';
import { redirects } from './redirects/index.ts';
import { usage } from './usage/index.ts';
import { users } from './users/index.ts';
import { webhooks } from './webhooks/index.ts';

/** Every operation of the product, in display order; the only place where a toolset is registered. */
export const toolsets = Object.freeze([accounts, brands, posts, media, webhooks, usage, users, keys, redirects]);
