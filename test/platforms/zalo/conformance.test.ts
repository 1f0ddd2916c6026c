import { conforms } from '../conformance/conforms.ts';
import { zaloSubject } from '../conformance/zalo.ts';

conforms(zaloSubject);
