import type { Accounts } from '../src/engine/accounts/index.ts';
import type { Apps } from '../src/engine/apps/index.ts';
import type { Billing } from '../src/engine/billing/index.ts';
import type { Brands } from '../src/engine/brands/index.ts';
import type { Delivery } from '../src/engine/delivery/index.ts';
import type { Events } from '../src/engine/events/index.ts';
import type { Exports } from '../src/engine/exports/index.ts';
import type { InboxModule } from '../src/engine/inbox/index.ts';
import type { Inbound } from '../src/engine/inbox/inbound.ts';
import type { Invites } from '../src/engine/invites/index.ts';
import type { Keys } from '../src/engine/keys/index.ts';
import type { Media } from '../src/engine/media/media.ts';
import type { Migrations } from '../src/engine/migrations/index.ts';
import type { Numbers } from '../src/engine/numbers/index.ts';
import type { Places } from '../src/engine/places/index.ts';
import type { Redirects } from '../src/engine/redirects/index.ts';
import type { Templates } from '../src/engine/templates/index.ts';
import type { Usage } from '../src/engine/metering/index.ts';
import type { Users } from '../src/engine/users/index.ts';
import type { Publishing } from '../src/engine/publishing/index.ts';

/** The engines that operations may call; each operation names the ones it needs. */
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
