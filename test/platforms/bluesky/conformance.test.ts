import { conforms } from '../conformance/conforms.ts';
import { blueskySubject } from '../conformance/bluesky.ts';

conforms(blueskySubject);
