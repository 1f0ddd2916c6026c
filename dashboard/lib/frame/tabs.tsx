import type { ComponentChildren, JSX } from 'preact';

type TabsProps<V extends string> = Readonly<{
  /** What is chosen with the tabs. */
  title: string;
  tabs: readonly Readonly<{ view: V; title: ComponentChildren }>[];
  current: string;
}>;

/** Views of a page that have a URL each. */
export const LinkTabs = <V extends string>(
  props: TabsProps<V> & Readonly<{ hrefOf(view: V): string }>,
): JSX.Element => (
  <nav class="tabs" aria-label={props.title}>
    {props.tabs.map(({ view, title }) => (
      <a key={view} href={props.hrefOf(view)} aria-current={view === props.current ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
);

/** Views that replace each other on the page. */
export const ButtonTabs = <V extends string>(
  props: TabsProps<V> & Readonly<{ onChosen(view: V): void }>,
): JSX.Element => (
  <div class="tabs" role="group" aria-label={props.title}>
    {props.tabs.map(({ view, title }) => (
      <button key={view} type="button" aria-pressed={view === props.current} onClick={() => props.onChosen(view)}>
        {title}
      </button>
    ))}
  </div>
);
