import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Icon } from '../parts.tsx';
import { lookAt, makePatience } from './patience.ts';

type ThumbnailProps = Readonly<{
  /** Undefined if the file is not a picture or has not been read yet. */
  url: string | undefined;
  /** Shown if there is no picture or it cannot be loaded. */
  name: string;
  alt?: string;
  isLazy?: boolean;
}>;

/** A small picture of a file, or its name. If the server is busy, the picture appears later. */
export function Thumbnail({ url, name, alt = '', isLazy = false }: ThumbnailProps): JSX.Element {
  const { seen, failed, end } = useMemo(() => makePatience({ look: () => lookAt(url ?? ''), after: delayed }), [url]);
  useEffect(() => end, [end]);
  if (url !== undefined && seen.value === 'asked')
    return <img src={url} alt={alt} loading={isLazy ? 'lazy' : undefined} onError={failed} />;
  return (
    <span class="blank">
      <Icon name="image" /> <bdi>{name}</bdi>
    </span>
  );
}

function delayed(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
