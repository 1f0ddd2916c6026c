import { accounts } from './accounts/index.ts';
import { brands } from './brands/index.ts';
import { comments } from './comments/index.ts';
import { connections } from './connections/index.ts';
import { conversations } from './conversations/index.ts';
import { events } from './events/index.ts';
import { exports } from './exports/index.ts';
import { google } from './google/index.ts';
import { inbox } from './inbox/index.ts';
import { invites } from './invites/index.ts';
import { keys } from './keys/index.ts';
import { media } from './media/index.ts';
import { mentions } from './mentions/index.ts';
import { migrations } from './migrations/index.ts';
import { people } from './people/index.ts';
import { posts } from './posts/index.ts';
import { redirects } from './redirects/index.ts';
import { replies } from './replies/index.ts';
import { reviews } from './reviews/index.ts';
import { times } from './times/index.ts';
import { twitter } from './twitter/index.ts';
import { usage } from './usage/index.ts';
import { users } from './users/index.ts';
import { webhooks } from './webhooks/index.ts';
import { whatsapp } from './whatsapp/index.ts';

/** All toolsets, in display order, registered only here. */
export const toolsets = Object.freeze([
  accounts,
  brands,
  invites,
  inbox,
  replies,
  conversations,
  comments,
  reviews,
  mentions,
  posts,
  times,
  media,
  webhooks,
  events,
  exports,
  usage,
  users,
  people,
  keys,
  connections,
  redirects,
  migrations,
  google,
  twitter,
  whatsapp,
]);
