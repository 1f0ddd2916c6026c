import { conforms } from '../conformance/conforms.ts';
import { blueskySubject } from '../conformance/subjects/bluesky.ts';

conforms(blueskySubject);
