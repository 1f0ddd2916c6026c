import { attributes } from '#kernel/text/html.ts';
import { drawAction, offering } from './actions.ts';
import { FAULTS, type Fault } from './faults.ts';
import { drawTime, HOME, html, navLinkOf, type Html, type NavLink } from './html.ts';
import type { JournalEntry } from './journal.ts';
import type { Resident, SandboxPush, Twin, TwinAbout } from './twin.ts';
import type { Twins } from './twins.ts';
import { counted } from '#kernel/people/counted.ts';

export const MOST_TIMES = 1000;
export const LONGEST_DELAY = 10 * 60_000;
export const DEFAULT_DELAY = 5000;

const SHOWN_REQUESTS = 50;
const SHOWN_POSTS = 10;
const SHOWN_CONVERSATIONS = 5;
const SHOWN_PUSHES = 20;
const LONGEST_BODY = 4000;
const LONGEST_ANSWER = 200;

export type Scene = Readonly<{
  twins: Pick<Twins, 'all' | 'opened'>;
  faults: readonly Fault[];
  /** Sorted oldest first. */
  requests: readonly JournalEntry[];
  token: Html;
}>;

export const navLinksOf = (twins: readonly TwinAbout[]): readonly NavLink[] => [
  HOME,
  ...twins.map(({ slug, title }) => navLinkOf(slug, title)),
];

const table = (heads: readonly string[], rows: readonly Html[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

const drawResident = ({ handle, name, path, part }: Resident): Html =>
  html`<tr>
    <td><strong>${name}</strong><br />${path === undefined ? handle : html`<a href="${path}">${handle}</a>`}</td>
    <td>${part}</td>
  </tr>`;
const drawCast = (twin: Twin): Html => table(['Person', 'Part'], twin.cast().map(drawResident));

const drawRequest = (entry: JournalEntry, twins: readonly Twin[], isOne: boolean): Html => {
  const { at, network, verb, method, person, note, fault, status, error, violation } = entry;
  const twin = twins.find(({ slug }) => slug === network);
  const caller = twin?.people().find(({ id }) => id === person)?.handle ?? person;
  const by = [isOne ? undefined : twin?.title, caller].filter(Boolean).join(' · ');
  const isBad = status === undefined || status >= 400;
  return html`<tr>
    <td>${drawTime(at, 'day')}</td>
    <td><code>${verb} ${method}</code> <small>${note}</small></td>
    <td>${by}</td>
    <td>
      <span ${attributes({ class: isBad && 'bad' })}>${status ?? 'no answer'} ${error}</span>
      ${fault !== undefined && html`<span class="badge">fault: ${fault}</span>`}
      ${violation !== undefined && html`<small class="bad">${violation}</small>`}
    </td>
  </tr>`;
};

function drawRequests({ twins, requests }: Scene, network?: string): Html {
  const view = requests.filter((entry) => network === undefined || entry.network === network).slice(-SHOWN_REQUESTS);
  return html`<section id="requests">
    <h2>Requests</h2>
    <p class="quiet">
      What the app asked of ${network === undefined ? 'the networks' : 'this network'}, newest first; the latest
      ${SHOWN_REQUESTS}.
    </p>
    ${
      view.length === 0
        ? html`<p>Nothing was asked yet.</p>`
        : table(
            ['Time (UTC)', 'Request', 'By', 'Answer'],
            view.toReversed().map((entry) => drawRequest(entry, twins.opened(), network !== undefined)),
          )
    }
  </section>`;
}

const drawPush = ({ id, at, kind, state, attempts, status, answer, body, url }: SandboxPush): Html =>
  html`<tr>
    <td>${drawTime(at, 'day')}<br /><small>No. ${id}</small></td>
    <td>
      <details>
        <summary>${kind.replaceAll('_', ' ')}</summary>
        <p><small>to ${url}</small></p>
        <code>${body.slice(0, LONGEST_BODY)}</code>
      </details>
    </td>
    <td>
      <span ${attributes({ class: state === 'given_up' && 'bad' })}>${state.replaceAll('_', ' ')}</span>
      <small>${counted(attempts, 'attempt')}</small>
    </td>
    <td>${status ?? 'no answer'} <small>${answer.slice(0, LONGEST_ANSWER)}</small></td>
  </tr>`;

const drawPushes = (pushes: readonly SandboxPush[]): Html =>
  html`<section id="pushes">
    <h2>Pushes</h2>
    <p class="quiet">Updates that the network sent to the app, newest first.</p>
    ${
      pushes.length === 0
        ? html`<p>Nothing has been sent yet. Updates are sent for connected accounts only.</p>`
        : table(['Time (UTC)', 'What', 'State', 'Answer of the app'], pushes.map(drawPush))
    }
  </section>`;

function drawFaultForm(twin: Twin, token: Html): Html {
  const option = (value: string, label: string) => html`<option value="${value}">${label}</option>`;
  return html`<form method="post" action="/sandbox/faults">
    ${token}<input type="hidden" name="network" value="${twin.slug}" />
    <label
      >Person
      <select name="person">
        ${twin.people().map(({ id, handle }) => option(id, handle))}
      </select></label
    >
    <label
      >What goes wrong
      <select name="kind">
        ${Object.entries(FAULTS).map(([kind, says]) => option(kind, says))}
      </select></label
    >
    <label
      >At
      <select name="method">
        ${option('', 'any request')}${twin.methods.map((name) => option(name, name))}
      </select></label
    >
    <label>Times <input type="number" name="times" value="1" min="1" max="${MOST_TIMES}" /></label>
    <label
      >Delay, ms <input type="number" name="delay_ms" value="${DEFAULT_DELAY}" min="0" max="${LONGEST_DELAY}"
    /></label>
    <button>Switch on</button>
  </form>`;
}

function drawFaults(twin: Twin, { faults, token }: Scene): Html {
  const waiting = faults.filter(({ network }) => network === twin.slug);
  const handles = new Map(twin.people().map(({ id, handle }) => [id, handle]));
  return html`<section id="faults">
    <h2>Faults</h2>
    <p class="quiet">Breaks the next requests the app makes for a person. A delay counts for what is late or slow.</p>
    ${drawFaultForm(twin, token)}
    ${
      waiting.length > 0 &&
      html`<ul>
          ${waiting.map(({ person, kind, method, times }) => html`<li>${handles.get(person) ?? person}: ${FAULTS[kind]}, at ${method ?? 'any request'}, ${times} left</li>`)}
        </ul>
        <form method="post" action="/sandbox/faults/clear">
          ${token}<input type="hidden" name="network" value="${twin.slug}" /><button>Switch all off</button>
        </form>`
    }
  </section>`;
}

function drawPlays(twin: Twin, token: Html): Html {
  const groups = Map.groupBy(twin.actions ?? [], ({ group }) => group);
  return html`<section id="play">
    <h2>Play the people</h2>
    ${[...groups].map(
      ([group, actions]) =>
        html`<h3>${group}</h3>
          <div class="plays">${actions.map((action) => drawAction(twin, action, token))}</div>`,
    )}
  </section>`;
}

/** The overview: all networks, active people with their latest posts, and recent calls. */
export function drawOverview(scene: Scene): Html {
  const { twins, faults } = scene;
  return html`<h1>Sandbox</h1>
    <ol>
      <li>
        Connect a person to the app, through its pages, its API or an assistant. The page of each network lists people.
      </li>
      <li>Publish. The post appears on the page of its network.</li>
      <li>There, comment and write messages as other people. What the app answers appears below.</li>
    </ol>
    ${twins.all.map(({ slug, title, entry }) => {
      const waiting = faults.filter(({ network }) => network === slug).length;
      const twin = twins.opened().find((one) => one.slug === slug);
      const posts = twin?.latest?.(1) ?? [];
      return html`<section>
        <h2>${title}</h2>
        <p>${entry}</p>
        ${twin && drawCast(twin)}
        <p>
          <a class="button primary" href="${navLinkOf(slug, title).path}">Play the people of ${title}</a>
          ${waiting > 0 && html`<span class="badge">${counted(waiting, 'fault')} switched on</span>`}
        </p>
        ${posts.length > 0 && html`<h3>Latest post</h3>`}${posts}
      </section>`;
    })}
    ${drawRequests(scene)}`;
}

/** The page of one network: its people, actions, content and calls. */
export function drawNetwork(twin: Twin, scene: Scene, done?: string): Html {
  const offer = offering(twin, scene.token);
  const posts = twin.latest?.(SHOWN_POSTS, offer);
  const conversations = twin.conversations?.(SHOWN_CONVERSATIONS, offer);
  const pushes = twin.pushes?.(SHOWN_PUSHES);
  const link = (id: string, title: string) => html`<a href="#${id}">${title}</a>`;
  return html`<h1>${twin.title}</h1>
    ${done !== undefined && html`<p class="note" role="status">Done: ${done}.</p>`}
    <nav aria-label="On this page">
      ${link('people', 'People')} ${posts !== undefined && link('posts', 'Posts')}
      ${conversations !== undefined && link('conversations', 'Conversations')} ${link('play', 'Play')}
      ${pushes !== undefined && link('pushes', 'Pushes')} ${link('faults', 'Faults')} ${link('requests', 'Requests')}
    </nav>
    <section id="people">
      <h2>People</h2>
      <p>${twin.entry} Everybody else is yours to play, here below.</p>
      ${drawCast(twin)}
    </section>
    ${
      posts !== undefined &&
      html`<section id="posts">
        <h2>Posts</h2>
        ${posts.length > 0 ? posts : html`<p>Nothing posted yet. Publish with a connected account, or ${link('play', 'post as somebody')}.</p>`}
      </section>`
    }
    ${
      conversations !== undefined &&
      html`<section id="conversations">
        <h2>Conversations</h2>
        ${conversations.length > 0 ? conversations : html`<p>No messages yet. ${link('play', 'Write one as somebody')}.</p>`}
      </section>`
    }
    ${drawPlays(twin, scene.token)} ${pushes !== undefined && drawPushes(pushes)} ${drawFaults(twin, scene)}
    ${drawRequests(scene, twin.slug)}`;
}
