import { attributes, html, type Html } from '#kernel/text/html.ts';
import { REFERENCE } from '../../http/areas.ts';
import { ICONS } from '../kit/stylesheet.ts';
import type { Visitor } from '../sign-in/visitors.ts';

/** A link of the navigation; its `keys` are pressed one after the other. */
type NavigationLink = Readonly<{
  path: string;
  title: string;
  icon: string;
  keys?: string;
  /** The operation without which the page is of no use. */
  needs?: string;
  /** A number that scripts show next to the link, and what it counts. */
  count?: readonly [name: string, words: string];
}>;

const NEW_POST: NavigationLink = {
  path: '/dashboard/compose',
  title: 'New post',
  icon: 'plus',
  keys: 'c',
  needs: 'create_post',
};

/** The main links; on phones they are in a bar at the bottom. */
const MAIN_LINKS: readonly NavigationLink[] = [
  { path: '/dashboard', title: 'Today', icon: 'today', keys: 'g t' },
  { path: '/dashboard/inbox', title: 'Inbox', icon: 'speech', keys: 'g i', count: ['unanswered', 'to answer'] },
  { path: '/dashboard/calendar', title: 'Calendar', icon: 'calendar', keys: 'g c' },
  { path: '/dashboard/posts', title: 'Posts', icon: 'posts', keys: 'g p', count: ['failed', 'failed'] },
  { path: '/dashboard/accounts', title: 'Accounts', icon: 'accounts', keys: 'g a' },
];
const LIBRARY_LINKS: readonly NavigationLink[] = [
  { path: '/dashboard/media', title: 'Media', icon: 'media', keys: 'g m' },
  { path: '/dashboard/replies', title: 'Saved replies', icon: 'replies', keys: 'g r' },
  { path: '/dashboard/analytics', title: 'Analytics', icon: 'analytics', keys: 'g n' },
  { path: '/dashboard/exports', title: 'Exports', icon: 'exports', keys: 'g x' },
];
const AUTOMATION_LINKS: readonly NavigationLink[] = [
  {
    path: '/dashboard/assistants',
    title: 'Assistants',
    icon: 'assistants',
    keys: 'g s',
    count: ['waiting', 'waiting for you'],
  },
  { path: '/dashboard/activity', title: 'Activity', icon: 'activity', keys: 'g e' },
  { path: '/dashboard/audit', title: 'Audit', icon: 'audit', keys: 'g u', needs: 'list_audit' },
  { path: '/dashboard/webhooks', title: 'Webhooks', icon: 'webhooks', keys: 'g w', needs: 'list_webhooks' },
  { path: '/dashboard/keys', title: 'API keys', icon: 'keys', keys: 'g k', needs: 'list_keys' },
  { path: REFERENCE, title: 'API reference', icon: 'book' },
];
const SETTINGS_LINKS: readonly NavigationLink[] = [
  { path: '/dashboard/usage', title: 'Usage', icon: 'partial', keys: 'g b' },
  { path: '/dashboard/settings', title: 'Settings', icon: 'settings', keys: 'g o' },
  { path: '/dashboard/people', title: 'People', icon: 'accounts', needs: 'list_people' },
  { path: '/dashboard/migration', title: 'Migration', icon: 'right', needs: 'get_migration' },
];

const drawIcon = (name: string): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="${`${ICONS}#${name}`}"></use></svg>`;

export type RailView = Readonly<{
  visitor: Visitor;
  field: Html;
  current: string;
  /** The operations that the person may not call. */
  denied: ReadonlySet<string>;
  /** Data attributes for the page's scripts. */
  data: Readonly<Record<`data-${string}`, string>>;
}>;

const drawCount = (name: string, words: string): Html =>
  html`<span ${attributes({ class: 'count', 'data-count': name, hidden: true })}
    ><b></b><span class="heard"> ${words}</span></span
  >`;

/** The navigation on every page of a signed-in person. */
export function drawRail({ visitor, field, current, denied, data }: RailView): Html {
  const drawLink = ({ path, title, icon, keys, count }: NavigationLink) =>
    html`<li>
      <a ${attributes({ href: path, 'aria-current': path === current ? 'page' : undefined, 'data-keys': keys })}>
        ${drawIcon(icon)}<span class="title">${title}</span>${count && drawCount(...count)}
      </a>
    </li>`;
  const drawLinks = (links: readonly NavigationLink[]) =>
    links.filter(({ needs }) => needs === undefined || !denied.has(needs)).map(drawLink);
  const newPost = drawLinks([NEW_POST]);
  return html`<header ${attributes({ class: 'rail', ...data })}>
    <a class="mark" href="/">${drawIcon('mark')}<span>Rostra</span></a>
    <nav aria-label="Dashboard">
      ${
        newPost.length > 0 &&
        html`<ul class="new">
          ${newPost}
        </ul>`
      }
      <ul>
        ${drawLinks(MAIN_LINKS)}
      </ul>
      <button type="button" class="more-button" popovertarget="more">${drawIcon('more')}<span>More</span></button>
      <div class="more" id="more" popover>
        <div>
          <h2>Library</h2>
          <ul>
            ${drawLinks(LIBRARY_LINKS)}
          </ul>
        </div>
        <div>
          <h2>Automation</h2>
          <ul>
            ${drawLinks(AUTOMATION_LINKS)}
          </ul>
        </div>
        <div>
          <h2>Settings</h2>
          <ul>
            ${drawLinks(SETTINGS_LINKS)}
          </ul>
        </div>
        <form method="post" action="/sign-out" class="person">
          ${field}
          <bdi>${visitor.email}</bdi>
          <button class="small">Sign out</button>
        </form>
      </div>
    </nav>
  </header>`;
}
