import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Icon } from '../parts.tsx';

type ThumbnailProps = Readonly<{
  /** Undefined if the file is no picture, or not known yet. */
  url: string | undefined;
  /** Shown where there is no picture, or it cannot be read. */
  name: string;
  alt?: string;
  isLazy?: boolean;
}>;

/** A small picture of a file, or its name. */
export function Thumbnail({ url, name, alt = '', isLazy = false }: ThumbnailProps): JSX.Element {
  const isBroken = useMemo(() => signal(false), [url]);
  if (url !== undefined && !isBroken.value)
    return (
      <img src={url} alt={alt} loading={isLazy ? 'lazy' : undefined} onError={() => void (isBroken.value = true)} />
    );
  return (
    <span class="blank">
      <Icon name="image" /> <bdi>{name}</bdi>
    </span>
  );
}
