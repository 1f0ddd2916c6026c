import type { Accounts } from '#engine/accounts/index.ts';
import type { Apps } from '#engine/apps/index.ts';
import type { Billing } from '#engine/billing/index.ts';
import type { Brands } from '#engine/brands/index.ts';
import type { Delivery } from '#engine/delivery/index.ts';
import type { Events } from '#engine/events/index.ts';
import type { Exports } from '#engine/exports/index.ts';
import type { InboxModule } from '#engine/inbox/index.ts';
import type { Inbound } from '#engine/inbox/inbound.ts';
import type { Invites } from '#engine/invites/index.ts';
import type { Keys } from '#engine/keys/index.ts';
import type { Media } from '#engine/media/media.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Migrations } from '#engine/migrations/index.ts';
import type { Numbers } from '#engine/numbers/index.ts';
import type { Places } from '#engine/places/index.ts';
import type { Redirects } from '#engine/redirects/index.ts';
import type { Templates } from '#engine/templates/index.ts';
import type { Usage } from '#engine/metering/index.ts';
import type { Users } from '#engine/users/index.ts';
import type { Publishing } from '#engine/publishing/index.ts';

/** Engines that operations may call; each operation names those it needs. */
export type Modules = Readonly<{
  accounts: Accounts;
  apps: Apps;
  billing: Billing;
  brands: Brands;
  delivery: Delivery;
  events: Events;
  exports: Exports;
  inbound: Inbound;
  inbox: InboxModule;
  invites: Invites;
  keys: Keys;
  lists: Lists;
  media: Media;
  migrations: Migrations;
  numbers: Numbers;
  places: Places;
  posts: Publishing;
  redirects: Redirects;
  templates: Templates;
  usage: Usage;
  users: Users;
}>;

export type Module<K extends keyof Modules> = Pick<Modules, K>;
