import { attributes, html, type Html } from '#kernel/text/html.ts';
import { ICONS } from '../kit/stylesheet.ts';
import type { Visitor } from '../sign-in/visitors.ts';

type NavigationLink = Readonly<{ path: string; title: string; icon: string }>;

/** What people come for; on a phone these stand in a bar at the bottom. */
const MAIN_LINKS: readonly NavigationLink[] = [
  { path: '/', title: 'Overview', icon: 'today' },
  { path: '/dashboard/posts', title: 'Posts', icon: 'posts' },
];
const AUTOMATION_LINKS: readonly NavigationLink[] = [
  { path: '/dashboard/keys', title: 'API keys', icon: 'keys' },
  { path: '/dashboard/apps', title: 'Connected apps', icon: 'assistants' },
  { path: '/dashboard/redirect-uris', title: 'Redirect addresses', icon: 'link' },
];
const SETTINGS_LINKS: readonly NavigationLink[] = [
  { path: '/dashboard/timezone', title: 'Timezone', icon: 'globe' },
  { path: '/dashboard/password', title: 'Password', icon: 'lock' },
];

const drawIcon = (name: string): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="${`${ICONS}#${name}`}"></use></svg>`;

/** What stands beside every page of a person: where to go, who they are, and the way out. */
export function drawRail({ email }: Visitor, field: Html, current?: string): Html {
  const drawLink = ({ path, title, icon }: NavigationLink) =>
    html`<li>
      <a ${attributes({ href: path, 'aria-current': path === current ? 'page' : undefined })}>
        ${drawIcon(icon)}<span>${title}</span>
      </a>
    </li>`;
  return html`<header class="rail">
    <a class="mark" href="/">${drawIcon('mark')}<span>Rostra</span></a>
    <nav aria-label="Dashboard">
      <ul>
        ${MAIN_LINKS.map(drawLink)}
      </ul>
      <button type="button" class="more-button" popovertarget="more">${drawIcon('more')}<span>More</span></button>
      <div class="more" id="more" popover>
        <div>
          <h2>Automation</h2>
          <ul>
            ${AUTOMATION_LINKS.map(drawLink)}
          </ul>
        </div>
        <div>
          <h2>Settings</h2>
          <ul>
            ${SETTINGS_LINKS.map(drawLink)}
          </ul>
        </div>
        <form method="post" action="/sign-out" class="person">
          ${field}
          <bdi>${email}</bdi>
          <button class="small">Sign out</button>
        </form>
      </div>
    </nav>
  </header>`;
}
