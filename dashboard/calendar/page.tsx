import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { wordOf } from '#kernel/people/post-states.ts';
import { addDays } from '../lib/days.ts';
import { longDay, monthName, weekOf } from './days.ts';
import { ZONE } from '../lib/page.ts';
import { Icon, State, Zone, Trouble } from '../lib/parts.tsx';
import { show } from '../lib/shell.tsx';
import { address, calendar, isNarrow } from './calendar.ts';
import { Add, canWrite } from './add.tsx';
import { Chip } from './chip.tsx';
import { Grid } from './grid.tsx';
import type { View } from './model.ts';
import { Dialog } from '../lib/frame/dialog.tsx';
import { Owners } from '../lib/frame/owners.tsx';
import { Select } from '../lib/frame/select.tsx';
import { ButtonTabs } from '../lib/frame/tabs.tsx';

const VIEWS: readonly Readonly<{ view: View; title: string }>[] = [
  { view: 'month', title: 'Month' },
  { view: 'week', title: 'Week' },
  { view: 'list', title: 'List' },
];
const STATES = ['scheduled', 'publishing', 'published', 'partial', 'failed'] as const;

function Page(): JSX.Element {
  const { day } = calendar.cursor.value;
  const view = calendar.view.value;
  useEffect(() => calendar.goTo(day), []);
  useEffect(address, [view, day]);
  const isWeek = view === 'week' && !isNarrow.value;
  const title = isWeek ? `Week of ${longDay(weekOf(day)[0]!)}` : monthName(calendar.month.value);
  document.title = `${title} · Calendar · Rostra`;
  return (
    <div class="calendar">
      <header class="bar">
        <h1>{title}</h1>
        <div class="group">
          <Turn by={-1} icon="left" title={isWeek ? 'Week before' : 'Month before'} />
          <button type="button" onClick={() => calendar.goTo(calendar.today())}>
            Today
          </button>
          <Turn by={1} icon="right" title={isWeek ? 'Next week' : 'Next month'} />
        </div>
        <Zone />
        {!isNarrow.value && <ButtonTabs title="View" tabs={VIEWS} current={view} onChosen={calendar.show} />}
      </header>
      <Filters />
      {calendar.problem.value !== undefined && <Trouble text={calendar.problem.value} again={calendar.again} />}
      <div class="split beside">
        {view === 'list' || isNarrow.value ? <List /> : <Grid />}
        <Drafts />
      </div>
      <p id="how-to-move" class="heard">
        Press M to carry it to another day, or open it.
      </p>
      <p class="heard" aria-live="assertive">
        {calendar.spoken.value}
      </p>
      {calendar.asked.value !== undefined && <Ask />}
    </div>
  );
}

function Turn({ by, icon, title }: Readonly<{ by: number; icon: string; title: string }>): JSX.Element {
  return (
    <button type="button" class="square" data-turn={by} aria-label={title} onClick={() => calendar.turn(by)}>
      <Icon name={icon} />
    </button>
  );
}

function Filters(): JSX.Element {
  const { account, brand, status } = calendar.filters.value;
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Owners brand={brand} account={account} onChosen={calendar.filter} />
      <Select
        title="State"
        value={status}
        all="All states"
        options={STATES.map((state) => [state, wordOf(state)])}
        onChosen={(to) => calendar.filter({ status: to })}
      />
    </div>
  );
}

/** The days of the month that have posts, and today. */
function List(): JSX.Element {
  const month = calendar.month.value;
  const today = calendar.today();
  const days = Array.from({ length: 31 }, (_, at) => addDays(`${month}-01`, at)).filter((day) => day.startsWith(month));
  const isFiltered = calendar.isFiltered.value;
  const filled = days.filter((day) => (day === today && !isFiltered) || calendar.entriesOf(day).length > 0);
  if (filled.length === 0 && !calendar.isLoading.value) {
    return (
      <div class="empty">
        <Icon name="calendar" />
        <p>
          Nothing {isFiltered ? 'matches the filters' : 'goes out'} in {monthName(month)}.
        </p>
        {canWrite && <a href="/dashboard/compose">Write a post</a>}
      </div>
    );
  }
  return (
    <ol class="agenda" aria-busy={calendar.isLoading.value}>
      {filled.map((day) => (
        <li key={day} data-day={day} class={day === today ? 'today' : ''}>
          <h2>
            {longDay(day)}
            {day === today && ', today'}
            {day >= today && <Add day={day} />}
          </h2>
          {calendar.entriesOf(day).map(({ post, wall }) => (
            <Chip key={post.id} post={post} time={wall.time} day={day} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function Drafts(): JSX.Element {
  const drafts = calendar.drafts.value;
  return (
    <aside class="drafts" aria-label="Drafts without a time">
      <h2>
        Drafts{' '}
        <b class="count">
          {drafts.length}
          {calendar.hasMoreDrafts.value && '+'}
        </b>
      </h2>
      {drafts.length === 0 ? (
        <p class="quiet">There are no drafts without a time.</p>
      ) : (
        calendar.mayMove && <p class="quiet">Drag a draft onto a day, or open it to choose a day.</p>
      )}
      {drafts.map((post) => (
        <Chip key={post.id} post={post} time={undefined} day="" />
      ))}
      {calendar.hasMoreDrafts.value && <a href="/dashboard/posts?view=draft">All drafts</a>}
    </aside>
  );
}

/** Shows a post with its day and time. If these can be changed, people can move the post here without dragging. */
function Ask(): JSX.Element {
  const { post, day, time } = calendar.asked.value!;
  const { id, status, text, title } = post;
  const canMove = calendar.isMovable(post);
  function send(event: SubmitEvent): void {
    event.preventDefault();
    const when = new FormData(event.currentTarget as HTMLFormElement).get('when') as string;
    const [toDay = '', toTime = ''] = when.split('T');
    calendar.dismiss();
    void calendar.move(post, { day: toDay, time: toTime });
  }
  return (
    <Dialog title={canMove && status === 'draft' ? 'Schedule this draft' : 'Post'} onClose={calendar.dismiss}>
      <p class="excerpt">
        <bdi>{text ?? title ?? 'No text'}</bdi>
      </p>
      <p>
        <State status={status} />
      </p>
      {canMove && (
        <form onSubmit={send}>
          <label class="option">
            Day and time
            <input type="datetime-local" name="when" required defaultValue={`${day}T${time}`} />
          </label>
          <small>As clocks in {ZONE.replaceAll('_', ' ')} show it</small>
          <div class="actions">
            <button class="primary">{status === 'draft' ? 'Schedule' : 'Move'}</button>
            <button type="button" onClick={calendar.dismiss}>
              Cancel
            </button>
          </div>
        </form>
      )}
      <div class="actions">
        <a href={`/dashboard/posts/${id}`}>Open</a>
        {canMove && <a href={`/dashboard/compose?post=${id}`}>Edit</a>}
      </div>
    </Dialog>
  );
}

show({
  Page,
  heard: calendar.heard,
  shortcuts: [
    { keys: 't', does: 'Go to today', run: () => calendar.goTo(calendar.today()) },
    { keys: 'n', does: 'Next', run: () => calendar.turn(1) },
    { keys: 'p', does: 'Before', run: () => calendar.turn(-1) },
  ],
});
