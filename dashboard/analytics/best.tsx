import type { JSX } from 'preact';
import { Time } from '../lib/parts.tsx';
import { METRICS, type makeAnalytics } from './model.ts';
import { Save } from './save.tsx';

type BestProps = Readonly<{ model: ReturnType<typeof makeAnalytics> }>;

/** The posts with the most reactions. */
export function Best({ model }: BestProps): JSX.Element {
  const { from, to } = model.whole.value;
  const hidden = model.hiddenPosts.value;
  const counted = METRICS.filter(({ metric }) => metric !== 'published');
  return (
    <section aria-labelledby="best">
      <header class="bar">
        <h2 id="best">Best posts</h2>
        <Save what={model.postsTitle.value} name={`posts-${from}-${to}.csv`} make={model.postsAsCsv} />
      </header>
      {model.isCut.value && <p class="hint">Other posts gained something too. These are {model.postsTitle.value}.</p>}
      {model.posts.value.length === 0 ? (
        <p class="quiet">No post gained anything in this period.</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
        <div class="scroll card" tabIndex={0} role="group" aria-label="Best posts">
          <table class="attempts">
            <thead>
              <tr>
                <th scope="col">Post</th>
                {counted.map(({ metric, title }) => (
                  <th key={metric} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {model.posts.value.map((row) => (
                <tr key={row.post_id}>
                  <td>
                    <a href={`/dashboard/posts/${row.post_id}`}>
                      <bdi>{row.text === undefined || row.text === '' ? 'Post without text' : row.text}</bdi>
                    </a>
                    {typeof row.published_at === 'string' && (
                      <>
                        <br />
                        <small>
                          <Time at={row.published_at} />
                        </small>
                      </>
                    )}
                  </td>
                  {counted.map(({ metric, title }) => (
                    <td key={metric} data-title={title}>
                      {row[metric].toLocaleString('en')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hidden > 0 && (
        <button type="button" onClick={model.showAllPosts}>
          Show {hidden} more
        </button>
      )}
    </section>
  );
}
