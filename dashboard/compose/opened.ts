import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Opens a box when it is needed, and never closes it while somebody may be writing in it. */
export function useOpened(isNeeded: boolean): RefObject<HTMLDetailsElement | null> {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isNeeded && box.current !== null) box.current.open = true;
  }, [isNeeded]);
  return box;
}
