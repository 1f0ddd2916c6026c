import { signal } from '@preact/signals';
import { Fragment, render, type ComponentType, type JSX } from 'preact';
import { makeCall, type Call } from './call.ts';
import { Asked } from './confirm.tsx';
import { makeCounts, showCount } from './frame/counts.ts';
import { makeSettling } from './debounce.ts';
import { keepFocus, returnFocus } from './focus.ts';
import { Dialog } from './frame/dialog.tsx';
import { may } from './frame/may.ts';
import { areKeysOn, listenToKeys, MODIFIER, turnKeys, usable, type Shortcut } from './keys.ts';
import { follow } from './live.ts';
import { Offline, reached, showSignedIn, signInAddress } from './frame/offline.tsx';
import { makeSession, watchWork } from './frame/session.ts';
import type { LogEvent } from './operations.ts';
import { pageToken, PERSON, renewToken, SINCE, ZONE } from './page.ts';
import { makePalette, type Command } from './palette.tsx';
import { say, sayWaiting, Toasts, undoLast } from './toasts.tsx';

const go = (path: string) => location.assign(path);

const work = watchWork();

/** The session of the page. Once it has ended, sign-in opens and returns here, but never over somebody's work. */
export const session = makeSession({
  person: PERSON,
  token: pageToken,
  renew: renewToken,
  found: (who) => (who !== 'the same' && work.mayLeave() ? go(signInAddress()) : showSignedIn(who)),
  fetch: (...request) => fetch(...request),
});

const sendCall = makeCall({ zone: ZONE, fetch: session.fetch });
const counts = makeCounts({ call: sendCall, may, later: makeSettling(), show: showCount });

/** Calls operations. */
export const call: Call = async (name, ...request) => {
  const answer = await sendCall(name, ...request);
  counts.called(name);
  return answer;
};

/** Commands for navigation: the navigation links, and views of their pages. */
const places = (): readonly Command[] => [
  ...[...document.querySelectorAll<HTMLAnchorElement>('.rail nav a')].map((link) => ({
    title: link.querySelector('.title')!.textContent,
    ...(link.dataset['keys'] !== undefined && { keys: link.dataset['keys'] }),
    run: () => go(link.href),
  })),
  { title: 'Failed posts', run: () => go('/dashboard/posts?view=failed') },
  { title: 'Drafts', run: () => go('/dashboard/posts?view=draft') },
];

const isListOpen = signal(false);

type Frame = Readonly<{
  shortcuts?: readonly Shortcut[];
  /** Called with every entry of the events log. */
  heard?(event: LogEvent): void;
  /** Whether something is under way that would end with the page, so that the browser asks before it is left. */
  isUnderWay?(): boolean;
}>;

/** Renders a page into the server's `main` element, together with everything that all pages share. */
export function show({ Page, ...frame }: Frame & Readonly<{ Page: ComponentType }>): void {
  const main = document.getElementById('main')!;
  main.replaceChildren();
  const shown = (
    <>
      <Page />
      <Asked />
    </>
  );
  render(shown, main);
  showFrame(frame);
}

/** Sets up what all pages share: keys, commands, messages, and the numbers in the navigation. */
export function showFrame({ shortcuts = [], heard = () => {}, isUnderWay = () => false }: Frame = {}): void {
  work.follow(isUnderWay);
  addEventListener('beforeunload', (event) => isUnderWay() && event.preventDefault());
  const destinations = places();
  const own = usable(shortcuts, may);
  const actions = own.map(({ keys, does, run }): Command => ({ title: does, keys, run }));
  const palette = makePalette([...actions, ...destinations, { title: 'Keys', keys: '?', run: showKeys }]);
  const general: readonly Shortcut[] = [
    { keys: '?', does: 'Show the keys', run: showKeys },
    { keys: 'z', does: 'Undo', run: undoLast },
    { keys: '/', does: 'Search', run: () => document.querySelector<HTMLInputElement>('input[type=search]')?.focus() },
    ...destinations.flatMap(({ title, keys, run }) => (keys === undefined ? [] : [{ keys, does: title, run }])),
  ];
  const all = [...own, ...general];
  listenToKeys(all);
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (document.querySelector('dialog[open]') === null) palette.open();
  });
  render(<Toasts />, document.getElementById('toasts')!);
  const floating = (
    <>
      <palette.Palette />
      <Offline />
      <KeyList shortcuts={all} />
    </>
  );
  render(floating, document.getElementById('floating')!);
  sayWaiting();
  keepFocus();
  returnFocus();
  counts.refresh();
  const hear = (event: LogEvent) => {
    heard(event);
    counts.heard(event);
  };
  follow({
    person: PERSON,
    since: SINCE,
    fetch: session.fetch,
    heard: hear,
    reached,
    // The reloaded page includes what was missed.
    missed: () => (work.mayLeave() ? location.reload() : say(MISSED, { isBad: true })),
  });
}

const MISSED = 'Some changes are not shown here. Load the page again once what you wrote or uploaded is stored.';

const showKeys = (): void => void (isListOpen.value = true);

function KeyList({ shortcuts }: Readonly<{ shortcuts: readonly Shortcut[] }>): JSX.Element | null {
  return isListOpen.value ? (
    <Dialog title="Keys" onClose={() => void (isListOpen.value = false)}>
      <label class="tick">
        <input
          type="checkbox"
          defaultChecked={areKeysOn()}
          onChange={({ currentTarget }) => turnKeys(currentTarget.checked)}
        />
        <span>Single-key shortcuts in this browser</span>
      </label>
      <dl class="keys">
        {[{ keys: `${MODIFIER} k`, does: 'Commands', run: () => {} }, ...shortcuts].map(({ keys, does }) => (
          <Fragment key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  ) : null;
}
