import { conforms } from '../conformance/conforms.ts';
import { pinterestSubject } from '../conformance/subjects/pinterest.ts';

conforms(pinterestSubject);
